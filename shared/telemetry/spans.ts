/** Attributes of a span: routes, operations and collections, never a tenant, an identifier or a value. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  readonly name: string;
  /** `server` and `client` at the borders of the process. */
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** The caller's place in its trace (W3C Trace Context), for a span that begins with a request. */
  readonly parent?: string | undefined;
}

/** The span that is open while a piece of work runs. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  /** The header for further calls. */
  readonly traceparent: string;
}

/** Makes spans; app/telemetry sets it where the operator wants traces. */
export interface SpanMaker {
  run<T>(options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Takes the span that is open now, as the parent of spans that are recorded when they are over. */
  bind(): BoundSpans;
}

interface BoundSpans {
  /** @param options times in milliseconds since 1970. */
  record(options: SpanOptions & { readonly startMs: number; readonly endMs: number; readonly failed: boolean }): void;
}

let maker: SpanMaker | null = null;

/** Sets what makes the spans of this process; null turns them off. */
export const makeSpansWith = (made: SpanMaker | null): void => {
  maker = made;
};

/** Returns the maker of spans; null if traces are off. */
export const spanMaker = (): SpanMaker | null => maker;

/** Runs work inside a span, which is a child of the span around it. Without a maker it only runs the work. */
export const inSpan = <T>(options: SpanOptions, work: (span: OpenSpan | null) => Promise<T>): Promise<T> =>
  maker === null ? work(null) : maker.run(options, work);
