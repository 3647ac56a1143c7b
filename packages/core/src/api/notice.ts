/** A remark beside a result: something that the caller may want to know, and that is not an error. */

export interface NoticeView {
  code: string;
  text: string;
  /** What the text quotes only in part, such as a long command. */
  detail?: string | undefined;
}
