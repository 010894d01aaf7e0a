import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { dottedIcd10 } from '../../codes/domain/index.js';
import { eventCodes, ruleCodeOf } from './event-codes.js';
import { evidence, isVoid, type MemberRecord } from './record.js';
import type { Evidence, FactValue } from './value.js';

// Codes of the event and of the record. An event that states codes of one kind states all of that kind: a claim that lists
// diagnoses lists all of its diagnoses. If fields are hidden from the caller, no code is known to be absent.

type Codes = Map<string, Evidence>;

const complete = (codes: Codes, states: boolean): FactValue => ({ kind: 'codes', codes, complete: states });

/** True if the caller sees everything that the event states. */
const isWhole = (event: LedgerEventView): boolean => event.state === 'INCLUDED';

export function procedureCodes({ event }: MemberRecord): FactValue {
  const codes = proceduresOf(event);
  return complete(codes, codes.size > 0 && isWhole(event));
}

export function proceduresOf(event: LedgerEventView): Codes {
  const codes: Codes = new Map();
  for (const { code, submitted_code, pointer } of eventCodes(event).procedures) {
    for (const one of [code, submitted_code]) {
      if (one !== null && !codes.has(one.toUpperCase())) codes.set(one.toUpperCase(), evidence(event, pointer, one));
    }
  }
  return codes;
}

export function modifiers({ event }: MemberRecord): FactValue {
  const codes: Codes = new Map();
  let hasLines = false;
  for (const { line, modifiers: stated, pointer } of eventCodes(event).procedures) {
    hasLines ||= line !== null;
    const field = pointer.replace(/procedure_code$/, 'modifiers');
    for (const one of stated)
      if (!codes.has(one.toUpperCase())) codes.set(one.toUpperCase(), evidence(event, field, one));
  }
  const listed = event.payload['modifiers'];
  for (const [i, one] of (Array.isArray(listed) ? listed : []).entries()) {
    if (typeof one === 'string') codes.set(one.toUpperCase(), evidence(event, `/payload/modifiers/${i}`, one));
  }
  return complete(codes, (hasLines || Array.isArray(listed)) && isWhole(event));
}

const ICD10CM = /^[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?$/;

/** Returns the ICD-10-CM codes of an event; no rule uses codes of other systems. */
export function diagnosesOf(event: LedgerEventView): Codes {
  const codes: Codes = new Map();
  for (const { code, pointer } of eventCodes(event).diagnoses) {
    const dotted = dottedIcd10(code.toUpperCase());
    if (ICD10CM.test(dotted) && !codes.has(dotted)) codes.set(dotted, evidence(event, pointer, code));
  }
  return codes;
}

/** Returns the diagnoses of the event and of the member's earlier events. */
export function diagnosisCodes({ event, others, capped, consentWithheld }: MemberRecord): FactValue {
  const codes = diagnosesOf(event);
  const states = codes.size > 0 && isWhole(event) && !capped && consentWithheld === null;
  const until = event.effective_at ?? '';
  for (const other of others) {
    if (isVoid(other) || (other.effective_at ?? '') > until) continue;
    for (const [code, found] of diagnosesOf(other)) if (!codes.has(code)) codes.set(code, found);
  }
  return complete(codes, states);
}

export function eventDiagnoses({ event }: MemberRecord): FactValue {
  const codes = diagnosesOf(event);
  return complete(codes, codes.size > 0 && isWhole(event));
}

/** Returns every prefix of each code: `G47.33` gives G, G4, G47, G47.3 and G47.33. A criterion names a family by its prefix. */
export function stems(value: FactValue): FactValue {
  if (value.kind !== 'codes') return value;
  const codes: Codes = new Map();
  for (const [code, found] of value.codes) {
    for (let end = 1; end <= code.length; end++) {
      const stem = code.slice(0, end);
      if (!stem.endsWith('.') && !codes.has(stem)) codes.set(stem, found);
    }
  }
  return complete(codes, value.complete);
}

export function reasons({ event }: MemberRecord): FactValue {
  const codes: Codes = new Map();
  for (const reason of eventCodes(event).reasons) {
    codes.set(ruleCodeOf(reason), evidence(event, reason.pointer, reason.code));
  }
  return complete(codes, codes.size > 0 && isWhole(event));
}
