/** The fields of a form, each with the control for its type. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { useId } from "react";
import { Field } from "../../parts/field.tsx";

type FormField = InboxItemView["fields"][number];
export type FieldValues = Readonly<Record<string, string | boolean>>;

export function firstValues(fields: readonly FormField[]): FieldValues {
  return Object.fromEntries(
    fields.map(({ name, type, default: first }) => [
      name,
      type === "boolean" ? first === true : String(first ?? ""),
    ]),
  );
}

/** Without empty fields, so that their defaults apply. */
export function givenValues(
  fields: readonly FormField[],
  values: FieldValues,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    fields
      .map(({ name, type }) => [name, type, values[name] ?? ""] as const)
      .filter(([, , value]) => value !== "")
      .map(([name, type, value]) => [name, type === "number" ? Number(value) : value]),
  );
}

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: FieldValues;
  readonly onChange: (values: FieldValues) => void;
}

export function FormFields({ fields, values, onChange }: FormFieldsProps) {
  return fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      value={values[field.name] ?? ""}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  ));
}

interface OneFieldProps {
  readonly field: FormField;
  readonly value: string | boolean;
  readonly onChange: (value: string | boolean) => void;
}

const box = "w-full rounded-md border border-line bg-page px-3 py-2 text-sm";

function OneField({ field, value, onChange }: OneFieldProps) {
  const id = useId();
  const { label, type, required, choices } = field;
  if (type === "boolean")
    return (
      <div className="flex items-center gap-2 text-sm">
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4 accent-accent"
        />
        <label htmlFor={id}>{label}</label>
      </div>
    );
  return (
    <Field label={required ? label : `${label} (optional)`} id={id}>
      {type === "choice" ? (
        <select
          id={id}
          required={required}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
          className={box}
        >
          {value === "" && <option value="">–</option>}
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type={type === "number" ? "number" : "text"}
          step="any"
          required={required}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
          className={box}
        />
      )}
    </Field>
  );
}
