/** Asks a time-stamp authority. The answer as it came, or why there is none. */
export type AskAuthority = (
  query: Uint8Array,
  signal: AbortSignal,
) => Promise<{ readonly reply: Buffer } | { readonly failure: string }>;
