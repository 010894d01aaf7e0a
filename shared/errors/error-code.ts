/** Returns the `code` of a system or library error, or an empty text if it has none. */
export const errorCodeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
