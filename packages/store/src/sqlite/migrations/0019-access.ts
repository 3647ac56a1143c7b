/** The access of agents and classes. */

export const access = `
-- The access of agents. Existing agents keep what they have: access becomes what their provider allowed
-- without further settings, and settings that give more still do.
ALTER TABLE agent ADD COLUMN access TEXT NOT NULL DEFAULT 'edit';
ALTER TABLE agent ADD COLUMN allowed_commands TEXT NOT NULL DEFAULT '[]';
ALTER TABLE agent ADD COLUMN on_denied TEXT NOT NULL DEFAULT 'note';
ALTER TABLE agent_class ADD COLUMN access TEXT NOT NULL DEFAULT 'edit';
ALTER TABLE agent_class ADD COLUMN allowed_commands TEXT NOT NULL DEFAULT '[]';
ALTER TABLE agent_class ADD COLUMN on_denied TEXT NOT NULL DEFAULT 'note';
${["agent", "agent_class"]
  .map(
    (table) => `UPDATE ${table} SET access = CASE provider
  WHEN 'codex' THEN CASE coalesce(settings ->> 'sandbox', 'read-only')
    WHEN 'read-only' THEN 'read'
    WHEN 'workspace-write' THEN 'edit'
    ELSE 'full' END
  WHEN 'claude' THEN CASE
    WHEN settings ->> 'permissionMode' IN ('bypassPermissions', 'auto') THEN 'full'
    WHEN settings ->> 'permissionMode' = 'acceptEdits' OR settings ->> 'permissions' = 'ask' THEN 'edit'
    ELSE 'read' END
  ELSE 'edit' END;`,
  )
  .join("\n  ")}

-- What the agent was denied in an attempt.
ALTER TABLE attempt ADD COLUMN denied TEXT;
`;
