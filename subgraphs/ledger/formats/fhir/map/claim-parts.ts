import { spanOf } from '../../values/dates.js';
import { compact, filled, unique } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import {
  type Coded,
  codeOf,
  codingsOf,
  describeCoding,
  diagnosisCode,
  extensionOf,
  extensionsOf,
  systemName,
  textsIn,
  wordsOf,
} from './codes.js';
import type { MappingContext } from './context.js';
import { describeIdentifiers, describeParty, describePerson, identityOf, jurisdictionOf } from './identity.js';
import { periodIn, periodOf } from './moments.js';

/** The member of a claim or response, and who it is about. */
export function describeWho(resource: Fields, context: MappingContext) {
  const { references } = context;
  const { memberId, memberBasis, patient, coverage } = identityOf(resource, 'patient', context);
  const insurer = fieldsAt(resource, 'insurer');
  const targets = [fieldsAt(resource, 'facility'), fieldsAt(resource, 'provider'), insurer];
  const who = {
    identifiers: describeIdentifiers(resource),
    jurisdiction: jurisdictionOf(patient, ...targets.map((reference) => references.resolve(reference).resource)),
    patient: describePerson(patient),
    payer: describeParty(insurer, references),
    member_basis: memberBasis,
  };
  return { memberId, coverage, who };
}

/** The most lines in one payload; the raw bytes contain all. */
const LINES_LIMIT = 500;
const CODES_LIMIT = 500;

/** Sets the service codes of items and procedures, and the lines, which it also returns. */
export function describeServices(
  resource: Fields,
  context: MappingContext,
  payload: Record<string, unknown>,
): readonly Record<string, unknown>[] {
  const items = listAt(resource, 'item');
  const procedures: Coded[] = [];
  for (const one of listAt(resource, 'procedure')) procedures.push(...codingsOf(one['procedureCodeableConcept']));
  const codes = procedures.map(({ code }) => code);
  for (const item of items) {
    for (const { code } of codingsOf(serviceOf(item))) codes.push(code);
    for (const detail of listAt(item, 'detail')) for (const { code } of codingsOf(serviceOf(detail))) codes.push(code);
  }
  const lines = items.slice(0, LINES_LIMIT).map((item, at) => describeLine(item, at, context));
  payload['procedure_codes'] = unique(codes).slice(0, CODES_LIMIT);
  payload['procedures'] = procedures.slice(0, CODES_LIMIT).map(describeCoding);
  payload['service'] = wordsOf(serviceOf(items[0] ?? {}));
  payload['lines'] = lines;
  if (items.length > LINES_LIMIT)
    context.warn('LINES_OMITTED', `lines beyond ${LINES_LIMIT} are only in the raw bytes`, 'item');
  return lines;
}

const serviceOf = (item: Fields): Fields => fieldsAt(item, 'productOrService');

export function lineNumberOf(item: Fields, at: number): number {
  const stated = numberAt(item, 'sequence') ?? numberAt(item, 'itemSequence');
  return stated !== undefined && Number.isSafeInteger(stated) ? stated : at + 1;
}

/** The caller removes absent members. */
function describeLine(item: Fields, at: number, context: MappingContext): Record<string, unknown> {
  const { amounts } = context;
  const service = serviceOf(item);
  const [coded] = codingsOf(service);
  const line: Record<string, unknown> = {
    line: lineNumberOf(item, at),
    procedure_code: coded?.code,
    system: coded && systemName(coded.system),
    description: wordsOf(service),
    revenue_code: codeOf(item['revenue']),
    category: codeOf(item['category']),
    place_of_service: codeOf(item['locationCodeableConcept']),
    quantity: amounts.plain(numberAt(item, 'quantity', 'value')),
    unit: textAt(item, 'quantity', 'unit') || textAt(item, 'quantity', 'code'),
    unit_price: amounts.money(item['unitPrice']),
    charge: amounts.money(item['net']),
    service_period: servicedPeriod(item),
    diagnosis_pointers: numbersIn(item, 'diagnosisSequence'),
    care_team: numbersIn(item, 'careTeamSequence'),
  };
  if (item['modifier'] !== undefined) line['modifiers'] = listAt(item, 'modifier').map(codeOf);
  if (item['extension'] !== undefined || item['modifierExtension'] !== undefined) describeLineExtensions(item, line);
  return line;
}

/** Da Vinci PAS: what a line requests and what an update changed. */
function describeLineExtensions(item: Fields, line: Record<string, unknown>): void {
  line['request_type'] = codeOf(extensionOf(item, 'extension-serviceItemRequestType')['valueCodeableConcept']);
  line['certification_type'] = codeOf(extensionOf(item, 'extension-certificationType')['valueCodeableConcept']);
  line['trace_number'] = textAt(extensionOf(item, 'extension-itemTraceNumber'), 'valueIdentifier', 'value');
  line['changed'] = textAt(extensionOf(item, 'extension-infoChanged'), 'valueCode');
  line['cancelled'] = booleanAt(extensionOf(item, 'modifierextension-infoCancelled'), 'valueBoolean');
}

function numbersIn(item: Fields, name: string): number[] {
  const found = item[name];
  return Array.isArray(found) ? found.filter((one): one is number => Number.isSafeInteger(one)) : [];
}

function servicedPeriod(item: Fields): { from: string; to: string } | undefined {
  const day = textAt(item, 'servicedDate');
  return day === '' ? periodIn(fieldsAt(item, 'servicedPeriod')) : periodOf(day, day);
}

/** The billable period, else the first to the last day of the items. */
export function servicePeriod(resource: Fields): { from: string; to: string } | undefined {
  const own = periodIn(fieldsAt(resource, 'billablePeriod'));
  if (own !== undefined) return own;
  const periods = listAt(resource, 'item').flatMap((item) => servicedPeriod(item) ?? []);
  return spanOf(periods.flatMap(({ from, to }) => [from, to]));
}

/** ICD codes with dots, in order, each with system, raw form and kind. */
export function describeDiagnoses(resource: Fields, context: MappingContext, payload: Record<string, unknown>): void {
  const diagnoses: Record<string, unknown>[] = [];
  for (const diagnosis of listAt(resource, 'diagnosis').slice(0, CODES_LIMIT)) {
    const concept = fieldsAt(diagnosis, 'diagnosisCodeableConcept');
    const condition = context.references.resolve(fieldsAt(diagnosis, 'diagnosisReference')).resource;
    const [coded] = [...codingsOf(concept), ...codingsOf(fieldsAt(condition, 'code'))];
    if (coded === undefined) continue;
    const code = diagnosisCode(coded);
    const raw = code === coded.code ? '' : coded.code;
    const kind = listAt(diagnosis, 'type').map(codeOf)[0];
    diagnoses.push(compact({ code, raw, system: systemName(coded.system), display: coded.display, kind }));
  }
  payload['diagnosis_codes'] = unique(diagnoses.map(({ code }) => String(code)));
  payload['diagnoses'] = diagnoses;
}

/** The care team, the provider and the facility of a claim. */
export function describeProviders(
  resource: Fields,
  { references }: MappingContext,
  payload: Record<string, unknown>,
): void {
  const billing = describeParty(fieldsAt(resource, 'provider'), references, 'billing');
  const facility = describeParty(fieldsAt(resource, 'facility'), references, 'facility');
  const team = listAt(resource, 'careTeam')
    .slice(0, 50)
    .map((one) => describeParty(fieldsAt(one, 'provider'), references, codeOf(fieldsAt(one, 'role'))));
  payload['providers'] = [billing, ...team, facility].filter((one) => Object.keys(one).length > 0);
}

/** The authorization numbers of a claim or response; its own number first. */
export function describeAuthorizations(resource: Fields, payload: Record<string, unknown>): void {
  const items = listAt(resource, 'item');
  const numbers = [textAt(resource, 'preAuthRef'), ...listOfTexts(resource['preAuthRef'])];
  for (const item of items)
    for (const one of extensionsOf(item, 'extension-authorizationNumber')) numbers.push(textAt(one, 'valueString'));
  for (const one of listAt(resource, 'insurance')) numbers.push(...listOfTexts(one['preAuthRef']));
  for (const item of items) addReviewNumbers(item, numbers);
  addReviewNumbers(resource, numbers);
  const known = unique(filled(numbers)).slice(0, 100);
  if (known.length > 0) {
    payload['authorization_number'] = known[0];
    payload['prior_authorizations'] = known;
  }
  const administrative = items.map((item) => extensionOf(item, 'extension-administrationReferenceNumber'));
  payload['administrative_reference_number'] = textsIn(administrative, 'valueString')[0];
}

/** The numbers of review actions below any adjudication. */
function addReviewNumbers(element: Fields, numbers: string[]): void {
  for (const one of listAt(element, 'adjudication'))
    for (const action of extensionsOf(one, 'extension-reviewAction'))
      numbers.push(textAt(extensionOf(action, 'number'), 'valueString'));
}

const listOfTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
