import { isJsonObject } from '../../../../shared/json/strict-json.js';
import { diagnosisCodes, eventDiagnoses, modifiers, procedureCodes, reasons, stems } from './coded-facts.js';
import { documentKindOf } from './document-kinds.js';
import { History } from './history-facts.js';
import { type FACT_NAMES, FINDINGS, isFixedName } from './names.js';
import { observation } from './observation-facts.js';
import { objectsOf } from './payload-values.js';
import {
  birthDateOf,
  evidence,
  type MemberRecord,
  monthsBetween,
  type StatedValue,
  serviceDay,
  sexOf,
} from './record.js';
import { type Evidence, type Facts, type FactValue, UNKNOWN } from './value.js';

type FixedName = keyof typeof FACT_NAMES;

/** Reads the facts of a record. Each fact is read once, on first use. */
export function readFacts(record: MemberRecord): Facts {
  const known = new Map<string, FactValue>();
  let history: History | undefined;
  const reader: Facts = {
    get(name) {
      const value = known.get(name) ?? read(name);
      known.set(name, value);
      return value;
    },
  };
  function read(name: string): FactValue {
    if (isFixedName(name)) return readFixed(name);
    const cut = name.lastIndexOf('.');
    const last = name.slice(cut + 1);
    switch (name.slice(0, Math.max(cut, 0))) {
      case 'observations':
        return observation(last, record);
      case 'findings':
        return finding(last, record);
      case 'history.months_since':
        return historyOf().monthsSince(last);
      case 'history.count_12_months':
        return historyOf().countIn12Months(last);
      default:
        return UNKNOWN;
    }
  }
  function readFixed(name: FixedName): FactValue {
    if (name === 'history.procedures') return historyOf().procedures();
    if (name === 'diagnoses.stems') return stems(reader.get('diagnoses.codes'));
    return READERS[name](record);
  }
  const historyOf = (): History => {
    history ??= new History(record);
    return history;
  };
  return reader;
}

const READERS: Readonly<
  Record<Exclude<FixedName, 'history.procedures' | 'diagnoses.stems'>, (record: MemberRecord) => FactValue>
> = {
  'event.family': ({ event }) => stated(event.event_family, '/event_family', event.event_id),
  'event.type': ({ event }) => stated(event.event_type, '/event_type', event.event_id),
  'event.outcome': ({ event }) => stated(event.outcome, '/outcome', event.event_id),
  'event.program': (record) => payloadText(record, 'program'),
  'event.jurisdiction': (record) => payloadText(record, 'jurisdiction'),
  'event.place_of_service': (record) => payloadText(record, 'place_of_service'),
  'event.service_date': ({ event }) => {
    const day = serviceDay(event);
    return day === null ? UNKNOWN : text(day.value, [evidence(event, day.field, day.value)], false);
  },
  'event.rationale': (record) => {
    const found = payloadText(record, 'rationale');
    return found.kind === 'text' ? { ...found, value: found.value.toLowerCase(), open: true } : found;
  },
  'event.reasons': reasons,
  'member.age_years': ageYears,
  'member.birth_year': (record) => {
    const [born, found] = agreed(record, birthDateOf) ?? [];
    if (born === undefined) return UNKNOWN;
    const year = Number(born.slice(0, 4));
    return { kind: 'number', min: year, max: year, evidence: found ?? [] };
  },
  'member.sex': (record) => {
    const [sex, found] = agreed(record, sexOf) ?? [];
    return sex === undefined ? UNKNOWN : text(sex, found ?? [], false);
  },
  'procedures.codes': procedureCodes,
  'procedures.modifiers': modifiers,
  'diagnoses.codes': diagnosisCodes,
  'event.diagnosis_stems': (record) => stems(eventDiagnoses(record)),
  'documents.kinds': documentKinds,
};

const text = (value: string, found: readonly Evidence[], open: boolean): FactValue => ({
  kind: 'text',
  value,
  open,
  evidence: found,
});

const stated = (value: string | null, field: string, event_id: string): FactValue =>
  value === null ? UNKNOWN : text(value.toLowerCase(), [{ event_id, field, value }], false);

function payloadText({ event }: MemberRecord, name: string): FactValue {
  const value = event.payload[name];
  if (typeof value !== 'string' || value.trim() === '') return UNKNOWN;
  return text(value.trim(), [evidence(event, `/payload/${name}`, value)], false);
}

/** Returns the event's value, else the value that all other events that state one agree on. */
function agreed(
  { event, others }: MemberRecord,
  read: (payload: MemberRecord['event']['payload']) => StatedValue | undefined,
): readonly [value: string, found: readonly Evidence[]] | null {
  const own = read(event.payload);
  if (own) return [own.value, [evidence(event, own.field, own.value)]];
  const stated = others.flatMap((other) => {
    const one = read(other.payload);
    return one ? [{ value: one.value, found: evidence(other, one.field, one.value) }] : [];
  });
  const [first] = stated;
  if (!first || stated.some(({ value }) => value !== first.value)) return null;
  return [first.value, [first.found]];
}

/** Returns the age, or bounds if the record states only the year or month of birth. */
function ageYears(record: MemberRecord): FactValue {
  const [born, found] = agreed(record, birthDateOf) ?? [];
  const day = serviceDay(record.event)?.value;
  if (born === undefined || day === undefined || born > day) return UNKNOWN;
  const years = Number(day.slice(0, 4)) - Number(born.slice(0, 4));
  const rest = born.slice(5);
  const today = day.slice(5, 5 + rest.length);
  const before = rest !== '' && rest > today ? years - 1 : years;
  const isExact = rest.length === 5 || (rest !== '' && rest !== today);
  return { kind: 'number', min: isExact ? before : years - 1, max: before, evidence: found ?? [] };
}

/** Findings older than this before the service are ignored. */
const FINDING_MAX_AGE_MONTHS = 12;

/** Returns the latest finding, from the event first. A finding may be stated after the service. */
function finding(name: string, { event, others }: MemberRecord): FactValue {
  const type = FINDINGS.get(name)?.type;
  const day = serviceDay(event)?.value;
  for (const one of [event, ...others]) {
    const stated = one.effective_at;
    if (
      one !== event &&
      (day === undefined || stated === null || monthsBetween(stated, day) > FINDING_MAX_AGE_MONTHS)
    ) {
      continue;
    }
    const findings = one.payload['findings'];
    const value = isJsonObject(findings) && Object.hasOwn(findings, name) ? findings[name] : undefined;
    const found = [evidence(one, `/payload/findings/${name}`, value ?? null)];
    if (type === 'boolean' && typeof value === 'boolean') return { kind: 'boolean', value, evidence: found };
    if (type === 'number' && typeof value === 'number')
      return { kind: 'number', min: value, max: value, evidence: found };
  }
  return UNKNOWN;
}

/** Returns the kinds of all documents that the record names. Naming a document proves only that it exists. */
function documentKinds({ event, others }: MemberRecord): FactValue {
  const codes = new Map<string, Evidence>();
  const add = (found: Evidence): void => {
    const kind = typeof found.value === 'string' ? documentKindOf(found.value) : null;
    if (kind !== null && !codes.has(kind)) codes.set(kind, found);
  };
  for (const one of [event, ...others]) {
    const { document } = one.payload;
    for (const name of isJsonObject(document) ? ['type_text', 'description', 'type'] : []) {
      add(evidence(one, `/payload/document/${name}`, (isJsonObject(document) && document[name]) || null));
    }
    for (const list of ['attachments', 'documents']) {
      for (const [i, item] of objectsOf(one.payload[list]).entries()) {
        for (const name of ['kind', 'report_type', 'title', 'description']) {
          add(evidence(one, `/payload/${list}/${i}/${name}`, item[name] ?? null));
        }
      }
    }
  }
  return { kind: 'codes', codes, complete: false };
}
