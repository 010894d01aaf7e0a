import type { AskedCode, CodeFault, CodeJudge } from '../../../shared/codes/code-tables.js';
import { listedCodesOf } from '../../../shared/event-keys/listed-codes.js';
import { payloadOf } from '../../../shared/event-keys/payload-codes.js';
import { statedServiceDay } from '../../../shared/event-keys/service-day.js';
import { isTenantId, type TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type WaitingEvent, withWarnings } from './message-parts.js';

/** Tables change when an operator imports one. */
const SYSTEMS_AGE_MS = 5_000;
/** Warnings of one event; a claim may have hundreds of lines. */
const MAX_WARNINGS = 20;

const WORDS: Readonly<Record<CodeFault, string>> = {
  NOT_IN_TABLE: 'is not in the imported table',
  NOT_IN_FORCE: 'is not in force on the day of service by the imported table',
  NOT_BILLABLE: 'is a heading of the imported table, which claims may not carry',
};

interface CodeWatchDeps {
  readonly judge: CodeJudge;
  readonly clock: { monotonicMs(): number };
  /** Called when the tables cannot be asked. */
  readonly unavailable: (error: unknown) => void;
}

/**
 * Warns of codes that the imported tables do not allow on the day of service. It knows nothing without tables, and an
 * ingest does not wait for them: while they cannot be asked, events get no such warning.
 */
export class CodeWatch {
  readonly #deps: CodeWatchDeps;
  #systems: { readonly atMs: number; readonly names: Promise<ReadonlySet<string>> } | null = null;

  constructor(deps: CodeWatchDeps) {
    this.#deps = deps;
  }

  /** Returns the events in order, with a warning for each faulty code. A warning names the place, never the code. */
  async mark(tenantId: string, events: readonly WaitingEvent[]): Promise<readonly WaitingEvent[]> {
    if (events.length === 0 || !isTenantId(tenantId)) return events;
    try {
      return await this.#marked(tenantId, events);
    } catch (error) {
      this.#systems = null;
      this.#deps.unavailable(error);
      return events;
    }
  }

  async #marked(tenantId: TenantId, events: readonly WaitingEvent[]): Promise<readonly WaitingEvent[]> {
    const systems = await this.#known(tenantId);
    if (systems.size === 0) return events;
    const asked: AskedCode[] = [];
    const indices = new Map<string, number>();
    const places = events.map(({ append: { envelope } }) =>
      codesOf(envelope, systems).map(({ pointer, ...code }) => {
        const key = JSON.stringify(code);
        const index = indices.get(key) ?? asked.push(code) - 1;
        indices.set(key, index);
        return { index, pointer, system: code.system };
      }),
    );
    const faults = new Map((await this.#deps.judge.faulty(tenantId, asked)).map(({ at, ...fault }) => [at, fault]));
    if (faults.size === 0) return events;
    return events.map((event, n) => {
      const warnings = (places[n] ?? []).flatMap(({ index, pointer, system }) => {
        const found = faults.get(index);
        if (found === undefined) return [];
        const message = `the ${system} code at ${pointer} ${WORDS[found.fault]} (${found.edition})`;
        return [{ code: `CODE_${found.fault}`, message }];
      });
      return withWarnings(event, warnings.slice(0, MAX_WARNINGS));
    });
  }

  async #known(tenantId: TenantId): Promise<ReadonlySet<string>> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#systems === null || nowMs - this.#systems.atMs >= SYSTEMS_AGE_MS) {
      const names = this.#deps.judge.systems(tenantId).then((systems) => new Set(systems));
      this.#systems = { atMs: nowMs, names };
    }
    return this.#systems.names;
  }
}

function codesOf(envelope: JsonObject, systems: ReadonlySet<string>): readonly (AskedCode & { pointer: string })[] {
  const payload = payloadOf(envelope);
  const time = envelope['event_effective_timestamp'];
  const day = statedServiceDay(payload)?.value ?? (typeof time === 'string' ? time.slice(0, 10) : null);
  return listedCodesOf(payload).flatMap(({ system, code, pointer }) =>
    systems.has(system) ? [{ system, code, day, pointer }] : [],
  );
}
