/** `error`: the call is not made; `lost`: it is made and its answer is lost; `crash`: nothing is done from there on. */
export const FAULT_KINDS = ['error', 'lost', 'crash'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export class InjectedFault extends Error {}
/** The answer did not come: whether the call was made, only a read says. */
export class LostAnswer extends InjectedFault {}

/** Counts the calls that go through it and spoils the n-th. */
export class Faults {
  calls = 0;
  #at = 0;
  #kind: FaultKind = 'error';

  /** From now on the n-th call, counted from 1, is spoilt. */
  arm(at: number, kind: FaultKind): void {
    this.calls = 0;
    this.#at = at;
    this.#kind = kind;
  }

  disarm(): void {
    this.#at = 0;
  }

  /** Whether the call that was to be spoilt has come. */
  get struck(): boolean {
    return this.#at > 0 && this.calls >= this.#at;
  }

  async pass<T>(call: () => Promise<T>): Promise<T> {
    if (this.#at === 0) return call();
    const n = ++this.calls;
    const spoilt = n === this.#at || (this.#kind === 'crash' && n > this.#at);
    if (!spoilt) return call();
    if (this.#kind !== 'lost') throw new InjectedFault(`call ${n} is spoilt (${this.#kind})`);
    await call();
    throw new LostAnswer(`the answer of call ${n} is lost`);
  }
}

type Method = (...args: unknown[]) => unknown;

/** The same port or function with every asynchronous call going through `faults`. */
export function faulty<T extends object>(port: T, faults: Faults | undefined): T {
  if (!faults) return port;
  if (typeof port === 'function') return passing(port as unknown as Method, undefined, faults) as unknown as T;
  const made = new Map<PropertyKey, unknown>();
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const known = made.get(name) ?? passing(value as Method, target, faults);
      made.set(name, known);
      return known;
    },
  });
}

/** Calls that answer at once are no I/O and pass; of a stream the beginning may fail. */
function passing(method: Method, target: object | undefined, faults: Faults): Method {
  if (SYNCHRONOUS.has(method.name)) return (...args) => method.apply(target, args);
  if (STREAMS.has(method.name)) {
    return async function* (...args) {
      await faults.pass(async () => undefined);
      yield* method.apply(target, args) as AsyncIterable<unknown>;
    };
  }
  return (...args) => faults.pass(async () => method.apply(target, args));
}

/** Of the ports that are wrapped. */
const SYNCHRONOUS = new Set(['genesis', 'writer', 'writers']);
const STREAMS = new Set(['readBlob']);
