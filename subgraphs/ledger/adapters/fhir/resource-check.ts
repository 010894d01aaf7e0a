import type { Refusal } from './fhir-items.js';
import { type Fields, isFields } from './json.js';

/** Whether a resource is valid FHIR R4; null when it is. */
export type ResourceCheck = (resource: Fields) => Refusal | null;

type Kind = 'object' | 'text' | 'date' | 'number' | 'boolean' | readonly string[];

interface Rule {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly many: boolean;
  /** Rules of the elements below. */
  readonly below: readonly Rule[];
}

const rule =
  (required: boolean, many: boolean) =>
  (name: string, kind: Kind, ...below: readonly Rule[]): Rule => ({ name, kind, required, many, below });
const one = rule(true, false);
const some = rule(true, true);
const maybe = rule(false, false);
const any = rule(false, true);

const financialStatus = ['active', 'cancelled', 'draft', 'entered-in-error'] as const;
const use = ['claim', 'preauthorization', 'predetermination'] as const;
const processing = ['queued', 'complete', 'error', 'partial'] as const;
const money = (name: string): Rule => maybe(name, 'object', maybe('value', 'number'), maybe('currency', 'text'));
const adjudication = any(
  'adjudication',
  'object',
  one('category', 'object'),
  money('amount'),
  maybe('value', 'number'),
);
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
const insurance = (required: boolean): Rule =>
  rule(required, true)('insurance', 'object', one('focal', 'boolean'), one('coverage', 'object'));
const totals = any(
  'total',
  'object',
  one('category', 'object'),
  rule(true, false)('amount', 'object', maybe('value', 'number')),
);
const coded = (name: string): Rule => any(name, 'object');

/** Cardinalities, types and required value sets (strength "required") of FHIR 4.0.1 for what is mapped. */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  Claim: [
    one('status', financialStatus),
    one('type', 'object'),
    one('use', use),
    one('patient', 'object'),
    one('created', 'date'),
    one('provider', 'object'),
    one('priority', 'object'),
    insurance(true),
    any('diagnosis', 'object', one('sequence', 'number')),
    items(one('sequence', 'number'), one('productOrService', 'object')),
    money('total'),
  ],
  ClaimResponse: [
    one('status', financialStatus),
    one('type', 'object'),
    one('use', use),
    one('patient', 'object'),
    one('created', 'date'),
    one('insurer', 'object'),
    one('outcome', processing),
    maybe('disposition', 'text'),
    maybe('preAuthRef', 'text'),
    any('item', 'object', one('itemSequence', 'number'), { ...adjudication, required: true }),
    totals,
    any('insurance', 'object', one('sequence', 'number'), one('focal', 'boolean'), one('coverage', 'object')),
    any('error', 'object', one('code', 'object')),
  ],
  ExplanationOfBenefit: [
    one('status', financialStatus),
    one('type', 'object'),
    one('use', use),
    one('patient', 'object'),
    one('created', 'date'),
    one('insurer', 'object'),
    one('provider', 'object'),
    one('outcome', processing),
    insurance(true),
    items(one('sequence', 'number'), one('productOrService', 'object'), adjudication),
    totals,
  ],
  CoverageEligibilityResponse: [
    one('status', financialStatus),
    some('purpose', ['auth-requirements', 'benefits', 'discovery', 'validation']),
    one('patient', 'object'),
    one('created', 'date'),
    one('request', 'object'),
    one('outcome', processing),
    one('insurer', 'object'),
    any('insurance', 'object', one('coverage', 'object'), maybe('inforce', 'boolean')),
  ],
  ServiceRequest: [
    one('status', ['draft', 'active', 'on-hold', 'revoked', 'completed', 'entered-in-error', 'unknown']),
    one('intent', [
      'proposal',
      'plan',
      'directive',
      'order',
      'original-order',
      'reflex-order',
      'filler-order',
      'instance-order',
      'option',
    ]),
    one('subject', 'object'),
    maybe('code', 'object'),
    maybe('authoredOn', 'date'),
    coded('reasonCode'),
  ],
  Encounter: [
    one('status', [
      'planned',
      'arrived',
      'triaged',
      'in-progress',
      'onleave',
      'finished',
      'cancelled',
      'entered-in-error',
      'unknown',
    ]),
    one('class', 'object'),
    maybe('subject', 'object'),
    maybe('period', 'object', maybe('start', 'date'), maybe('end', 'date')),
    coded('type'),
  ],
  Observation: [
    one('status', [
      'registered',
      'preliminary',
      'final',
      'amended',
      'corrected',
      'cancelled',
      'entered-in-error',
      'unknown',
    ]),
    one('code', 'object'),
    maybe('effectiveDateTime', 'date'),
    maybe('issued', 'date'),
    maybe('valueQuantity', 'object', maybe('value', 'number')),
  ],
  DocumentReference: [
    one('status', ['current', 'superseded', 'entered-in-error']),
    maybe('date', 'date'),
    some('content', 'object', one('attachment', 'object')),
  ],
  Patient: [
    any('identifier', 'object', maybe('value', 'text')),
    any('name', 'object'),
    maybe('gender', ['male', 'female', 'other', 'unknown']),
    maybe('birthDate', 'date'),
    maybe('active', 'boolean'),
    any('address', 'object', maybe('state', 'text')),
  ],
  Coverage: [
    one('status', financialStatus),
    one('beneficiary', 'object'),
    some('payor', 'object'),
    maybe('subscriberId', 'text'),
  ],
};

const datePattern =
  /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d))?)?)?$/;
const idPattern = /^[A-Za-z0-9\-.]{1,64}$/;

/** Refuses a resource whose mapped elements break FHIR R4: the first fault, with its path. */
export const checkResource: ResourceCheck = (resource) => {
  const type = String(resource['resourceType']);
  const { id } = resource;
  if (id !== undefined && (typeof id !== 'string' || !idPattern.test(id))) return invalid('id', 'is no id');
  const found = Object.hasOwn(rules, type) ? rules[type] : undefined;
  return found === undefined ? null : checkElement(resource, found, '');
};

function checkElement(element: Fields, below: readonly Rule[], path: string): Refusal | null {
  for (const expected of below) {
    const { name, required, many } = expected;
    const value = element[name];
    const at = path === '' ? name : `${path}.${name}`;
    if (value === undefined) {
      // An extension may stand in the place of a primitive's value.
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
    return kind.includes(String(value)) ? null : invalid(path, 'is none of the codes that FHIR allows');
  if (kind === 'object') return isFields(value) ? checkElement(value, below, path) : invalid(path, 'must be an object');
  if (kind === 'date')
    return typeof value === 'string' && datePattern.test(value) ? null : invalid(path, 'is no date of FHIR');
  if (kind === 'text') return typeof value === 'string' && value !== '' ? null : invalid(path, 'must be a text');
  return typeof value === kind ? null : invalid(path, `must be a ${kind}`);
}

/** The place is told, the value never. */
const invalid = (expression: string, what: string): Refusal => ({
  code: 'RESOURCE_INVALID',
  message: `${expression.replace(/\[\d+\]/g, '')} ${what}`,
  expression,
  broken: true,
});
