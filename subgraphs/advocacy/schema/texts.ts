/** Words on one line, some of them to be seen: no control characters. */
export const ONE_LINE = { pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]*$' } as const;

/** Words on lines: of the control characters a tab and the ends of lines alone. */
export const LINES = { pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$' } as const;
