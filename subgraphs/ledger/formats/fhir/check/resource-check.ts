import type { Refusal } from '../entries.js';
import { type Fields, isFields } from '../json/objects.js';

/** Checks a resource against FHIR R4; null if it is valid. */
export type ResourceCheck = (resource: Fields) => Refusal | null;

type Kind = 'object' | 'text' | 'date' | 'number' | 'boolean' | readonly string[];

interface Rule {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly many: boolean;
  /** Rules of the child elements. */
  readonly below: readonly Rule[];
}

const rule =
  (required: boolean, many: boolean) =>
  (name: string, kind: Kind, ...below: readonly Rule[]): Rule => ({ name, kind, required, many, below });
const one = rule(true, false);
const some = rule(true, true);
const maybe = rule(false, false);
const any = rule(false, true);

const codes = (list: string): readonly string[] => list.split(' ');
const FINANCIAL_STATUS = codes('active cancelled draft entered-in-error');
const PROCESSING = codes('queued complete error partial');
/** Required elements of one kind. */
const all = (kind: Kind, names: string): readonly Rule[] => codes(names).map((name) => one(name, kind));
const money = (name: string): Rule => maybe(name, 'object', maybe('value', 'number'), maybe('currency', 'text'));
const category = one('category', 'object');
const adjudication = any('adjudication', 'object', category, money('amount'), maybe('value', 'number'));
const items = (...more: Rule[]): Rule =>
  any(
    'item',
    'object',
    maybe('quantity', 'object', maybe('value', 'number')),
    money('net'),
    money('unitPrice'),
    maybe('servicedDate', 'date'),
    ...more,
  );
const insurance = (...more: Rule[]): Rule =>
  some('insurance', 'object', ...more, one('focal', 'boolean'), one('coverage', 'object'));
const totals = any('total', 'object', category, one('amount', 'object', maybe('value', 'number')));
const service = [one('sequence', 'number'), one('productOrService', 'object')];
/** The elements that a claim, its response and its explanation share. */
const claim = [
  one('status', FINANCIAL_STATUS),
  one('type', 'object'),
  one('use', codes('claim preauthorization predetermination')),
  one('patient', 'object'),
  one('created', 'date'),
];
const coded = (name: string): Rule => any(name, 'object');

/** Cardinalities, types and required value sets (strength "required") of FHIR 4.0.1 for the mapped elements. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  Claim: [
    ...claim,
    ...all('object', 'provider priority'),
    insurance(),
    any('diagnosis', 'object', one('sequence', 'number')),
    items(...service),
    money('total'),
  ],
  ClaimResponse: [
    ...claim,
    one('insurer', 'object'),
    one('outcome', PROCESSING),
    maybe('disposition', 'text'),
    maybe('preAuthRef', 'text'),
    any('item', 'object', one('itemSequence', 'number'), { ...adjudication, required: true }),
    totals,
    { ...insurance(one('sequence', 'number')), required: false },
    any('error', 'object', one('code', 'object')),
  ],
  ExplanationOfBenefit: [
    ...claim,
    ...all('object', 'insurer provider'),
    one('outcome', PROCESSING),
    insurance(),
    items(...service, adjudication),
    totals,
  ],
  CoverageEligibilityResponse: [
    one('status', FINANCIAL_STATUS),
    some('purpose', codes('auth-requirements benefits discovery validation')),
    one('patient', 'object'),
    one('created', 'date'),
    one('request', 'object'),
    one('outcome', PROCESSING),
    one('insurer', 'object'),
    any('insurance', 'object', one('coverage', 'object'), maybe('inforce', 'boolean')),
  ],
  ServiceRequest: [
    one('status', codes('draft active on-hold revoked completed entered-in-error unknown')),
    one(
      'intent',
      codes('proposal plan directive order original-order reflex-order filler-order instance-order option'),
    ),
    one('subject', 'object'),
    maybe('code', 'object'),
    maybe('authoredOn', 'date'),
    coded('reasonCode'),
  ],
  Encounter: [
    one('status', codes('planned arrived triaged in-progress onleave finished cancelled entered-in-error unknown')),
    one('class', 'object'),
    maybe('subject', 'object'),
    maybe('period', 'object', maybe('start', 'date'), maybe('end', 'date')),
    coded('type'),
  ],
  Observation: [
    one('status', codes('registered preliminary final amended corrected cancelled entered-in-error unknown')),
    one('code', 'object'),
    maybe('effectiveDateTime', 'date'),
    maybe('issued', 'date'),
    maybe('valueQuantity', 'object', maybe('value', 'number')),
  ],
  Condition: [one('subject', 'object'), maybe('recordedDate', 'date'), maybe('onsetDateTime', 'date')],
  Procedure: [
    one('status', codes('preparation in-progress not-done on-hold stopped completed entered-in-error unknown')),
    one('subject', 'object'),
    maybe('performedDateTime', 'date'),
  ],
  MedicationRequest: [
    one('status', codes('active on-hold cancelled completed entered-in-error stopped draft unknown')),
    one('intent', codes('proposal plan order original-order reflex-order filler-order instance-order option')),
    one('subject', 'object'),
    maybe('authoredOn', 'date'),
  ],
  DiagnosticReport: [
    one(
      'status',
      codes(
        'registered partial preliminary modified final amended corrected appended cancelled entered-in-error unknown',
      ),
    ),
    one('code', 'object'),
    maybe('effectiveDateTime', 'date'),
    maybe('issued', 'date'),
  ],
  CarePlan: [
    one('status', codes('draft active on-hold revoked completed entered-in-error unknown')),
    one('intent', codes('proposal plan order option')),
    one('subject', 'object'),
    maybe('created', 'date'),
  ],
  QuestionnaireResponse: [
    one('status', codes('in-progress completed amended entered-in-error stopped')),
    maybe('authored', 'date'),
    any('item', 'object', one('linkId', 'text')),
  ],
  Task: [
    one(
      'status',
      codes(
        'draft requested received accepted rejected ready cancelled in-progress on-hold failed completed ' +
          'entered-in-error',
      ),
    ),
    one('intent', codes('unknown proposal plan order original-order reflex-order filler-order instance-order option')),
    maybe('authoredOn', 'date'),
    maybe('lastModified', 'date'),
  ],
  CommunicationRequest: [
    one('status', codes('draft active on-hold revoked completed entered-in-error unknown')),
    maybe('authoredOn', 'date'),
  ],
  DocumentReference: [
    one('status', codes('current superseded entered-in-error')),
    maybe('date', 'date'),
    some('content', 'object', one('attachment', 'object')),
  ],
  Patient: [
    any('identifier', 'object', maybe('value', 'text')),
    any('name', 'object'),
    maybe('gender', codes('male female other unknown')),
    maybe('birthDate', 'date'),
    maybe('active', 'boolean'),
    any('address', 'object', maybe('state', 'text')),
  ],
  Coverage: [
    one('status', FINANCIAL_STATUS),
    one('beneficiary', 'object'),
    some('payor', 'object'),
    maybe('subscriberId', 'text'),
  ],
};

const DATE_PATTERN =
  /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d))?)?)?$/;
const ID_PATTERN = /^[A-Za-z0-9\-.]{1,64}$/;

/** Rejects a resource with mapped elements that break FHIR R4: the first fault, with its path. */
export const checkResource: ResourceCheck = (resource) => {
  const type = String(resource['resourceType']);
  const { id } = resource;
  if (id !== undefined && (typeof id !== 'string' || !ID_PATTERN.test(id))) return invalid('id', 'is not a valid id');
  const found = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  return found === undefined ? null : checkElement(resource, found, '');
};

function checkElement(element: Fields, below: readonly Rule[], path: string): Refusal | null {
  for (const expected of below) {
    const { name, required, many } = expected;
    const value = element[name];
    const at = path === '' ? name : `${path}.${name}`;
    if (value === undefined) {
      // An extension may replace a primitive's value.
      if (required && element[`_${name}`] === undefined) return invalid(at, 'is missing');
      continue;
    }
    if (many !== Array.isArray(value)) return invalid(at, many ? 'must be a list' : 'must not be a list');
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length === 0) return invalid(at, 'is an empty list');
    for (const [index, single] of values.entries()) {
      const place = many ? `${at}[${index}]` : at;
      const fault = checkValue(single, expected, place);
      if (fault !== null) return fault;
    }
  }
  return null;
}

function checkValue(value: unknown, { kind, below }: Rule, path: string): Refusal | null {
  if (typeof kind !== 'string')
    return kind.includes(String(value)) ? null : invalid(path, 'is not a code that FHIR allows');
  if (kind === 'object') return isFields(value) ? checkElement(value, below, path) : invalid(path, 'must be an object');
  if (kind === 'date')
    return typeof value === 'string' && DATE_PATTERN.test(value) ? null : invalid(path, 'is not a FHIR date');
  if (kind === 'text') return typeof value === 'string' && value !== '' ? null : invalid(path, 'must be a text');
  return typeof value === kind ? null : invalid(path, `must be a ${kind}`);
}

/** Messages name the place, never the value. */
const invalid = (expression: string, what: string): Refusal => ({
  code: 'RESOURCE_INVALID',
  message: `${expression.replace(/\[\d+\]/g, '')} ${what}`,
  expression,
  broken: true,
});
