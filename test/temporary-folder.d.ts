/** The one way to make a temporary folder in a test. It is removed at the end of the test file at the latest. */
/** A new folder, without symbolic links in its path. The caller removes one with another parent. */
export declare function temporaryFolder(name: string, parent?: string): string;
