import { centsOf } from '../../../../shared/event-keys/stated-amounts.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import { amountsOf, type EventAmounts } from './event-amounts.js';
import { MAX_VALUES, numbersOf, objectsOf, placedTexts, textOf, textsOf } from './payload-values.js';

// Reads the codes of an event from the payload fields that adapters write (mapping.md sections 2 and 3). A payload is free
// JSON: a field of another shape is ignored, and nothing here throws.

/**
 * Lists of reason codes. HCR03 until 004010 and AAA03 are X12's element 901; since 005010 HCR03 uses the list X12 886, with
 * other meanings. X12-508 holds the status codes of a 277. `OTHER` is a list that the message does not name.
 */
const REASON_SYSTEMS = ['CARC', 'RARC', 'HCR03', 'X12-886', 'AAA03', 'NCPDP', 'X12-508', 'OTHER'] as const;
export type ReasonSystem = (typeof REASON_SYSTEMS)[number];

/** Adjustment groups of a CAS segment (formats.md section 2). */
export const ADJUSTMENT_GROUPS = ['CO', 'PR', 'OA', 'PI', 'CR'] as const;
export type AdjustmentGroup = (typeof ADJUSTMENT_GROUPS)[number];

export interface ReasonCode {
  readonly system: ReasonSystem;
  readonly code: string;
  /** Null if the event states none or an unknown one. */
  readonly group: AdjustmentGroup | null;
  /** Hundredths, summed over all adjustments with this code and group; null without an amount. */
  readonly cents: number | null;
  /** JSON Pointer to the first occurrence in the event. */
  readonly pointer: string;
}

export interface ProcedureCode {
  readonly code: string;
  readonly modifiers: readonly string[];
  /** Line number; null for a code that only the list of codes has. */
  readonly line: number | null;
  /** The sender's name: HC, CPT, NDC …; null if not stated. */
  readonly system: string | null;
  readonly charge_cents: number | null;
  /** The billed code, if the payer decided on another one. */
  readonly submitted_code: string | null;
  readonly diagnosis_pointers: readonly number[];
  readonly pointer: string;
}

interface DiagnosisCode {
  readonly code: string;
  readonly system: string | null;
  readonly pointer: string;
}

export interface EventCodes {
  /** Each (system, code, group) once, in order of first appearance. */
  readonly reasons: readonly ReasonCode[];
  readonly procedures: readonly ProcedureCode[];
  readonly diagnoses: readonly DiagnosisCode[];
  readonly amounts: EventAmounts;
  /** In lower case; null if the event has none. */
  readonly outcome: string | null;
  /** Numbers of authorizations that the event names, each once. */
  readonly authorizations: readonly string[];
  /** The sender's free text. */
  readonly rationale: string | null;
  readonly program: string | null;
  /** The sender's own code of the programme: MA, 16, MC … */
  readonly program_code: string | null;
  readonly jurisdiction: string | null;
}

/** Returns the name that rules use for a code: `CARC/50`. */
export const ruleCodeOf = ({ system, code }: Pick<ReasonCode, 'system' | 'code'>): string => `${system}/${code}`;

/** Numbers of authorizations that are shown. */
const MAX_AUTHORIZATIONS = 3;

function authorizationsOf(payload: JsonObject): readonly string[] {
  const listed = ['authorization_numbers', 'prior_authorizations'].flatMap((name) => textsOf(payload[name]));
  const one = textOf(payload['authorization_number']);
  return [...new Set([...(one === null ? [] : [one]), ...listed])].slice(0, MAX_AUTHORIZATIONS);
}

/** Reads the codes of an event's payload and outcome. */
export function eventCodes(event: { readonly outcome?: string | null; readonly payload?: unknown }): EventCodes {
  const payload = isJsonObject(event.payload) ? event.payload : {};
  const outcome = event.outcome?.trim().toLowerCase() || null;
  return {
    reasons: reasonsOf(payload, outcome),
    procedures: proceduresOf(payload),
    diagnoses: diagnosesOf(payload),
    amounts: amountsOf(payload),
    outcome,
    authorizations: authorizationsOf(payload),
    rationale: textOf(payload['rationale']),
    program: textOf(payload['program']),
    program_code: textOf(payload['program_code']),
    jurisdiction: textOf(payload['jurisdiction'])?.toUpperCase() ?? null,
  };
}

const CARC = /^(?:(CO|PR|OA|PI|CR)[\s-]?)?([A-Z]{0,2}\d{1,4})$/;

function reasonsOf(payload: JsonObject, outcome: string | null): ReasonCode[] {
  const found = new Reasons();
  const adjusted = new Set<string>();
  for (const [at, one] of objectsOf(payload['adjustments']).entries()) {
    const written = textOf(one['reason']);
    if (written === null) continue;
    const { code, group } = carcOf(written);
    adjusted.add(code);
    const stated = groupOf(textOf(one['group'])) ?? group;
    found.add({
      system: 'CARC',
      code,
      group: stated,
      cents: centsOf(one['amount']),
      pointer: `/payload/adjustments/${at}`,
    });
  }
  for (const [at, written] of placedTexts(payload['carc'])) {
    const { code, group } = carcOf(written);
    if (adjusted.has(code)) continue;
    found.add({ system: 'CARC', code, group, cents: null, pointer: `/payload/carc/${at}` });
  }
  found.list('RARC', payload, 'rarc');
  addDecisions(found, payload);
  found.list('NCPDP', payload, 'reject_codes');
  if (outcome !== null && STATUS_IS_REASON.has(outcome)) addStatuses(found, payload);
  found.list('OTHER', payload, 'reason_codes');
  found.list('OTHER', payload, 'errors');
  return found.all();
}

/** Normalises `50`, `CO50` and `CO-50` to one code (mapping.md section 2); any other text stays as written. */
function carcOf(written: string): { readonly code: string; readonly group: AdjustmentGroup | null } {
  const text = written.toUpperCase();
  const [, group, code] = CARC.exec(text) ?? [];
  return { code: code ?? text, group: groupOf(group ?? null) };
}

const groupOf = (text: string | null): AdjustmentGroup | null =>
  ADJUSTMENT_GROUPS.find((group) => group === text?.toUpperCase()) ?? null;

/** Reads the reasons of a review. `decision_reason` mixes HCR03 and AAA03; `rejections` lists the AAA03 codes. */
function addDecisions(found: Reasons, payload: JsonObject): void {
  const rejected = new Set<string>();
  for (const [at, rejection] of objectsOf(payload['rejections']).entries()) {
    const code = textOf(rejection['reason']);
    if (code === null) continue;
    rejected.add(code.toUpperCase());
    found.code('AAA03', code, `/payload/rejections/${at}/reason`);
  }
  const system = reviewSystem(payload);
  for (const name of ['decision_reason', 'decision_reasons']) {
    for (const [at, code] of placedTexts(payload[name])) {
      const pointer = Array.isArray(payload[name]) ? `/payload/${name}/${at}` : `/payload/${name}`;
      if (!rejected.has(code.toUpperCase())) found.code(system, code, pointer);
    }
  }
  for (const [at, line] of objectsOf(payload['lines']).entries()) {
    for (const [n, code] of placedTexts(line['decision_reason'])) {
      found.code(system, code, `/payload/lines/${at}/decision_reason/${n}`);
    }
  }
}

/** Outcomes with a claim status that is a reason; for other outcomes the status only reports progress. */
const STATUS_IS_REASON: ReadonlySet<string> = new Set(['denied', 'rejected']);

/** Adds the STC codes of a 277, of the claim and of its lines. */
function addStatuses(found: Reasons, payload: JsonObject): void {
  const add = (holder: JsonObject, pointer: string): void => {
    for (const [at, status] of objectsOf(holder['statuses']).entries()) {
      for (const [n, one] of objectsOf(status['codes']).entries()) {
        const code = textOf(one['code']);
        if (code !== null) found.code('X12-508', code, `${pointer}/statuses/${at}/codes/${n}/code`);
      }
    }
  };
  add(payload, '/payload');
  for (const [at, line] of objectsOf(payload['lines']).entries()) add(line, `/payload/lines/${at}`);
}

/** A payload without a version comes from a caller's own envelope, which uses HCR03 as our tables do. */
function reviewSystem(payload: JsonObject): 'HCR03' | 'X12-886' {
  const raw = isJsonObject(payload['raw']) ? payload['raw'] : {};
  if (textOf(raw['format'])?.toLowerCase() === 'fhir') return 'X12-886';
  const version = textOf(raw['version']);
  return version !== null && /^00[5-9]/.test(version) ? 'X12-886' : 'HCR03';
}

class Reasons {
  readonly #byKey = new Map<string, ReasonCode>();

  add(reason: ReasonCode): void {
    const key = `${reason.system}/${reason.code}/${reason.group ?? ''}`;
    const known = this.#byKey.get(key);
    if (known === undefined) {
      if (this.#byKey.size < MAX_VALUES) this.#byKey.set(key, reason);
      return;
    }
    if (reason.cents !== null) this.#byKey.set(key, { ...known, cents: (known.cents ?? 0) + reason.cents });
  }

  code(system: ReasonSystem, written: string, pointer: string): void {
    this.add({ system, code: written.toUpperCase(), group: null, cents: null, pointer });
  }

  list(system: ReasonSystem, payload: JsonObject, name: string): void {
    for (const [at, code] of placedTexts(payload[name])) this.code(system, code, `/payload/${name}/${at}`);
  }

  all(): ReasonCode[] {
    return [...this.#byKey.values()];
  }
}

/** Reads lines first, because they state modifiers; then codes that are on no line. */
function proceduresOf(payload: JsonObject): ProcedureCode[] {
  const found: ProcedureCode[] = [];
  const onLines = new Set<string>();
  for (const [at, line] of objectsOf(payload['lines']).entries()) {
    const code = textOf(line['procedure_code']);
    if (code === null) continue;
    onLines.add(code);
    found.push({
      code,
      modifiers: textsOf(line['modifiers']),
      line: typeof line['line'] === 'number' ? line['line'] : at + 1,
      system: textOf(line['system']) ?? textOf(line['qualifier']),
      charge_cents: centsOf(line['charge']),
      submitted_code: textOf(line['submitted_code']),
      diagnosis_pointers: numbersOf(line['diagnosis_pointers']),
      pointer: `/payload/lines/${at}/procedure_code`,
    });
  }
  for (const [at, code] of placedTexts(payload['procedure_codes'])) {
    if (onLines.has(code)) continue;
    const pointer = `/payload/procedure_codes/${at}`;
    found.push({ ...NO_LINE, code, pointer });
  }
  return found.slice(0, MAX_VALUES);
}

const NO_LINE = {
  modifiers: [],
  line: null,
  system: null,
  charge_cents: null,
  submitted_code: null,
  diagnosis_pointers: [],
} as const;

function diagnosesOf(payload: JsonObject): DiagnosisCode[] {
  const systems = new Map<string, string | null>();
  for (const one of objectsOf(payload['diagnoses'])) {
    const code = textOf(one['code']);
    if (code !== null) systems.set(code, textOf(one['system']) ?? textOf(one['qualifier']));
  }
  const listed = new Set(textsOf(payload['diagnosis_codes']));
  const named = placedTexts(payload['diagnosis_codes']).map(([at, code]) => ({
    code,
    pointer: `/payload/diagnosis_codes/${at}`,
  }));
  const others = objectsOf(payload['diagnoses']).flatMap((one, at) => {
    const code = textOf(one['code']);
    return code === null || listed.has(code) ? [] : [{ code, pointer: `/payload/diagnoses/${at}/code` }];
  });
  return [...named, ...others]
    .slice(0, MAX_VALUES)
    .map(({ code, pointer }) => ({ code, system: systems.get(code) ?? null, pointer }));
}
