/**
 * The roles of a benchmark process. `floor`: a bare node:http server that sends the same answer as `in-process`. `stock`: our
 * facade in front of Apollo's path; `stock-bare`: the setup of Apollo's documentation, without a facade.
 */
export type EdgeRole = 'floor' | 'in-process' | 'distributed' | 'subgraph' | 'stock' | 'stock-bare';

/** One raw answer. */
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

/** The answer, in microseconds. */
export interface CpuMessage {
  /** User time: JavaScript, HTTP parser, garbage collector. */
  readonly userUs: number;
  /** System time: sockets, waking the client, the log. */
  readonly systemUs: number;
}

export const ROLE_ARGUMENT = 2;
/** Address of the subgraph for `distributed`, answer (as JSON) for `floor`. */
export const DETAIL_ARGUMENT = 3;
