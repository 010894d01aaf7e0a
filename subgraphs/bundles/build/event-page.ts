import type { WithheldReason } from '../../../shared/consent/verdict.js';
import type { DocumentFacts } from '../../../shared/contracts/documents.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { EntryPlace, LedgerRecord } from '../../../shared/contracts/ledger-records.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { disposedLine } from '../../../shared/evidence/bundle/event-lines.js';
import type { BundleEventState } from '../../../shared/evidence/bundle/manifest.js';
import { redactedLine } from '../../../shared/evidence/redacted-line.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { withheldEvents } from './ask-consent.js';
import type { Build, BuildDeps } from './build-deps.js';
import { countHolds, documentsWhere } from './gather-documents.js';

/** An event of the bundle, with its line in the archive. */
export interface ShippedEvent {
  readonly record: LedgerRecord;
  readonly tree_index: number;
  readonly state: BundleEventState;
  /** Without the LF. */
  readonly line: string;
  /** SHA-256 of the line. */
  readonly sha256: string;
  readonly redaction_id: string | null;
}

/** Stored answers of other subgraphs about the events of a page. */
interface PageFacts {
  /** Events that consent withholds: nothing of them ships, not even holds or redactions. */
  readonly withheld: readonly { event_id: string; reason: WithheldReason }[];
  readonly redactions: readonly { event_id: string; redaction_id: string; pointers: readonly string[] }[];
  /** Number of events that each hold covers. */
  readonly holds: readonly { hold_id: string; events: number }[];
  /** Documents attached to events of the page, withheld events included. */
  readonly documents: readonly DocumentFacts[];
}

export interface EventPage {
  readonly events: readonly ShippedEvent[];
  readonly facts: PageFacts;
}

/** Reads one page of a bundle's events: the records, and the facts about them. */
export async function eventPage(
  deps: BuildDeps,
  build: Pick<Build, 'tenantId' | 'inputs' | 'bundle' | 'frozen'>,
  n: number,
  places: readonly EntryPlace[],
): Promise<EventPage> {
  const records = await deps.ledgerRecords.records(build.tenantId, places);
  const facts = await build.inputs.kept('PAGE', n, () => pageFacts(deps, build, records));
  const withheld = new Set(facts.withheld.map(({ event_id }) => event_id));
  const hidden = new Map(facts.redactions.map((redaction) => [redaction.event_id, redaction]));
  const events = records.flatMap((record, i): ShippedEvent[] => {
    if (withheld.has(record.event_id)) return [];
    const tree_index = places[i]?.tree_index ?? 0;
    const redaction = hidden.get(record.event_id);
    return [{ record, tree_index, ...shipped(record, redaction) }];
  });
  return { events, facts };
}

function shipped(
  record: LedgerRecord,
  redaction: PageFacts['redactions'][number] | undefined,
): Omit<ShippedEvent, 'record' | 'tree_index'> {
  const { record: text, seed, worm_sha256 } = record;
  if (text === null || seed === null || worm_sha256 === null) {
    const line = disposedLine(record.event_id);
    return { state: 'DISPOSED', line, sha256: sha256Hex(line), redaction_id: null };
  }
  // The ledger has just verified H(R), and the line is R.
  if (redaction === undefined) return { state: 'INCLUDED', line: text, sha256: worm_sha256, redaction_id: null };
  const { pointers, redaction_id } = redaction;
  const { line } = redactedLine({ record: text, seed: Buffer.from(seed, 'hex'), pointers, redactionId: redaction_id });
  return { state: 'REDACTED', line, sha256: sha256Hex(line), redaction_id };
}

async function pageFacts(
  deps: BuildDeps,
  { tenantId, bundle, frozen }: Pick<Build, 'tenantId' | 'bundle' | 'frozen'>,
  records: readonly LedgerRecord[],
): Promise<PageFacts> {
  const eventIds = records.map(({ event_id }) => event_id);
  const withheld = await withheldEvents(deps, { tenantId, ...bundle }, records, frozen.member_ids);
  const shown = records.filter(({ event_id }) => !withheld.has(event_id));
  const [redactions, covering, documents] = await Promise.all([
    deps.redactions.ofEvents(
      tenantId,
      shown.map(({ event_id }) => event_id),
    ),
    deps.holds.covering(tenantId, shown.map(holdSubject)),
    documentsWhere(deps, tenantId, { eventIds }),
  ]);
  const holds = new Map<string, number>();
  countHolds(holds, covering);
  return {
    withheld: [...withheld].map(([event_id, reason]) => ({ event_id, reason })),
    redactions: [...redactions].map(([event_id, { redaction_id, pointers }]) => ({ event_id, redaction_id, pointers })),
    holds: [...holds].map(([hold_id, events]) => ({ hold_id, events })),
    documents,
  };
}

/** Only the chain of a disposed event is known: an unknown fact never exempts it from a hold. */
function holdSubject({ event_id, source_system, record }: LedgerRecord): HoldSubject {
  if (record === null) return { kind: 'EVENT', id: event_id, facts: { member_ids: [], source_system } };
  const members: JsonObject = JSON.parse(record);
  const { member_id, event_family, event_effective_timestamp, payload } = members;
  const matter = isJsonObject(payload) ? payload['matter_id'] : undefined;
  const atMs = instantOf(String(event_effective_timestamp));
  return {
    kind: 'EVENT',
    id: event_id,
    facts: {
      member_ids: typeof member_id === 'string' ? [member_id] : [],
      source_system,
      event_families: [String(event_family)],
      ...(typeof matter === 'string' ? { matter_id: matter } : {}),
      ...(atMs === undefined ? {} : { at_ms: atMs }),
    },
  };
}
