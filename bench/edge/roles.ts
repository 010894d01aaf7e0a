/** What a process of the benchmark serves; `stock` is what Apollo's documentation puts together. */
export type EdgeRole = 'in-process' | 'distributed' | 'subgraph' | 'stock';

/** Sent to the parent once it listens. */
export interface EdgeMessage {
  readonly url: string;
  readonly apiKey: string;
}

export const ROLE_ARGUMENT = 2;
export const URL_ARGUMENT = 3;
