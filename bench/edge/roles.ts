/**
 * What a process of the benchmark serves. `floor`: a bare node:http server that sends the very answer of `in-process`.
 * `stock`: our facade before Apollo's own path; `stock-bare`: what Apollo's documentation puts together, without a facade.
 */
export type EdgeRole = 'floor' | 'in-process' | 'distributed' | 'subgraph' | 'stock' | 'stock-bare';

/** One answer as it goes over the wire. */
export interface WireAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sent to the parent once it listens. */
export interface EdgeMessage {
  readonly url: string;
  readonly apiKey: string;
}

/** The parent asks for the processor time used so far. */
export const ASK_CPU = 'cpu';

/** The answer to it, in microseconds. */
export interface CpuMessage {
  /** The program's own: JavaScript, HTTP parser, collector. */
  readonly userUs: number;
  /** The kernel's, for it: sockets, waking the client, the log. */
  readonly systemUs: number;
}

export const ROLE_ARGUMENT = 2;
/** Address of the subgraph for `distributed`, answer (as JSON) for `floor`. */
export const DETAIL_ARGUMENT = 3;
