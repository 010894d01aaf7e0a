import { dottedCode, jurisdictionOf, normalizeNdc, stateOf } from '../../values/codes.js';
import { parseDate, toInstant } from '../../values/dates.js';
import { compact, type FieldTable, fieldTable, filled, unique } from '../../values/payload.js';
import type { XmlElement } from '../../values/xml/xml-element.js';

const PATTERN =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

interface ReadTime {
  readonly timestamp: string;
  readonly basis: string;
}

/** The instant of an XML date or time: by its offset, else in the given zone; null if unreadable. */
export function readTime(text: string, name: string, zone: string): ReadTime | null {
  const found = PATTERN.exec(text);
  if (found === null) return null;
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', offset = ''] =
    found;
  const date = parseDate(year + month + day);
  if (date === null) return null;
  const time = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (offset === '') return { timestamp: toInstant(date, time, zone), basis: `${name} read as ${zone}` };
  const shift = offset === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  return { timestamp: new Date(`${date}T${time}${shift}`).toISOString(), basis: `${name} with offset ${offset}` };
}

/** `YYYY-MM-DD` of a date or time; '' if unreadable. */
function readDay(text: string): string {
  const found = PATTERN.exec(text);
  return found === null ? '' : (parseDate(`${found[1]}${found[2]}${found[3]}`) ?? '');
}

type Payload = Record<string, unknown>;
export type Warn = (code: string, message: string) => void;

const LIST_LIMIT = 100;
const MEDICATION_NAMES = ['MedicationPrescribed', 'MedicationRequested', 'MedicationDispensed', 'MedicationResponse'];

/** The payload of one transaction. */
export function describeMessage(transaction: XmlElement, warn: Warn): Payload {
  const patient = personOf(transaction.find('Patient'));
  const medications = MEDICATION_NAMES.flatMap((name) =>
    transaction
      .children(name)
      .slice(0, LIST_LIMIT)
      .map((medication) => describeMedication(medication, name, warn)),
  );
  const diagnoses = describeDiagnoses(transaction);
  const service = transaction.find('Facility', 'Address') ?? transaction.find('Pharmacy', 'Address');
  const codes = filled(medications.map(({ ndc = '' }) => String(ndc)));
  return {
    patient: describePatient(patient),
    identifiers: identifiersOf(patient),
    coverage: describeCoverage(transaction),
    medications,
    procedure_codes: unique(codes),
    diagnoses,
    diagnosis_codes: unique(diagnoses.map(({ code }) => String(code))),
    providers: describeProviders(transaction),
    jurisdiction: jurisdictionOf(stateIn(patient?.find('Address')), stateIn(service)),
    fill_status: transaction.find('FillStatus')?.childNames()[0],
    request_reference_number: transaction.text('RequestReferenceNumber'),
    change_request_type: transaction.text('MessageRequestCode') || transaction.text('ChangeRequestType'),
    ...describePriorAuthorization(transaction),
  };
}

/** 2017071 wraps a person in HumanPatient or NonVeterinarian; 10.6 does not. */
function personOf(element: XmlElement | undefined): XmlElement | undefined {
  return element?.find('HumanPatient') ?? element?.find('NonVeterinarian') ?? element?.find('Veterinarian') ?? element;
}

/** The state of an address is StateProvince in 2023011 and State in 10.6. */
function stateIn(address: XmlElement | undefined): { state: string } | null {
  if (address === undefined) return null;
  const state = address.text('StateProvince') || address.text('State');
  return { state: stateOf(state, address.text('CountryCode') || address.text('Country')) };
}

/**
 * Reads a table of payload names and the paths of elements; `|` separates alternatives, `^` marks a day. Leaves out
 * empty ones.
 */
function describeElement(element: XmlElement | undefined, table: FieldTable): Payload {
  const described: Payload = {};
  for (const [name, place] of table) {
    const isDay = place.startsWith('^');
    const text = firstText(element, isDay ? place.slice(1) : place);
    const value = isDay ? readDay(text) : text;
    if (value !== '') described[name] = value;
  }
  return described;
}

function firstText(element: XmlElement | undefined, paths: string): string {
  for (const path of element === undefined ? [] : paths.split('|')) {
    const text = element?.text(...path.split('/')) ?? '';
    if (text !== '') return text;
  }
  return '';
}

const NAME = fieldTable('last_name=Name/LastName first_name=Name/FirstName middle_name=Name/MiddleName');
const PERSON = fieldTable('gender=Gender|GenderAndSex/Gender birth_date=^DateOfBirth/Date|DateOfBirth');

const describePatient = (patient: XmlElement | undefined): Payload =>
  compact({
    ...describeElement(patient, NAME),
    ...describeElement(patient, PERSON),
    state: stateIn(patient?.find('Address'))?.state,
  });

/** Every identifier of a patient except the social security number, which is not needed. */
function identifiersOf(patient: XmlElement | undefined): Payload[] {
  const identification = patient?.find('Identification');
  if (identification === undefined) return [];
  return identification
    .childNames()
    .filter((name) => !/^(?:SocialSecurity|SSN)/i.test(name))
    .slice(0, LIST_LIMIT)
    .map((name) => compact({ type: name, id: identification.text(name) }))
    .filter(({ id }) => id !== undefined);
}

/** The plan's numbers of a patient first, then the cardholder's, then any other. */
export function memberIdsOf(transaction: XmlElement): string[] {
  const identification = personOf(transaction.find('Patient'))?.find('Identification');
  const own = (names: readonly string[]): string[] => names.map((name) => identification?.text(name) ?? '');
  const benefits = transaction.find('BenefitsCoordination');
  return filled([
    ...own(['MemberID', 'PBMMemberID', 'MedicaidNumber', 'MedicareNumber']),
    ...['CardholderID', 'CardHolderID', 'PBMMemberID'].map((name) => benefits?.text(name) ?? ''),
    ...own([
      'PatientID',
      'PatientIdentifier',
      'MedicalRecordIdentificationNumberEHR',
      'FileID',
      'PatientAccountNumber',
    ]),
  ]);
}

const COVERAGE = fieldTable(
  'payer=PayerName bin=PayerIdentification/IINNumber|PayerIdentification/BINLocationNumber ' +
    'pcn=PayerIdentification/ProcessorIdentificationNumber cardholder_id=CardholderID|CardHolderID ' +
    'group_number=GroupID relationship=PatientRelationship',
);

const describeCoverage = (transaction: XmlElement): Payload[] =>
  transaction
    .children('BenefitsCoordination')
    .slice(0, LIST_LIMIT)
    .map((benefits) => describeElement(benefits, COVERAGE))
    .filter((benefits) => Object.keys(benefits).length > 0);

const MEDICATION = fieldTable(
  'quantity=Quantity/Value quantity_unit=Quantity/QuantityUnitOfMeasure/Code|Quantity/QuantityUnitOfMeasure ' +
    'days_supply=DaysSupply refills=NumberOfRefills|Refills/Value|Refills substitutions=Substitutions ' +
    'written_date=^WrittenDate/Date|WrittenDate last_fill_date=^LastFillDate/Date|LastFillDate ' +
    'sig=Sig/SigText|SigText|Directions note=Note prior_authorization=PriorAuthorization ' +
    'prior_authorization_status=PriorAuthorizationStatus',
);

function describeMedication(medication: XmlElement, role: string, warn: Warn): Payload {
  const drug = medication.find('DrugCoded') ?? medication.find('Product', 'DrugCoded');
  const [code, qualifier] = codeOf(drug?.find('ProductCode'));
  const [drugCode, drugQualifier] = codeOf(drug?.find('DrugDBCode'));
  const isNdc = code !== '' && (qualifier === 'ND' || qualifier === '');
  const ndc = isNdc ? normalizeNdc(code) : null;
  if (isNdc && ndc === null) warn('NDC_UNREADABLE', 'a product code qualified as an NDC does not have eleven digits');
  return compact({
    role,
    description: medication.text('DrugDescription'),
    ndc: isNdc ? (ndc ?? code) : '',
    product_code: code,
    product_qualifier: qualifier,
    drug_code: drugCode,
    drug_code_qualifier: drugQualifier,
    ...describeElement(medication, MEDICATION),
  });
}

/** A code and its qualifier: child elements since 2017071, text and attribute before. */
const codeOf = (element: XmlElement | undefined): readonly [code: string, qualifier: string] => [
  element?.text('Code') || element?.text() || '',
  element?.text('Qualifier') || element?.attribute('Qualifier') || '',
];

/** The diagnoses of a medication: Diagnosis/Primary and /Secondary, coded ABF (ICD-10-CM) or LD (SNOMED CT). */
function describeDiagnoses(transaction: XmlElement): Payload[] {
  const found: Payload[] = [];
  for (const medication of MEDICATION_NAMES.flatMap((name) => transaction.children(name))) {
    for (const diagnosis of medication.children('Diagnosis')) {
      for (const rank of ['Primary', 'Secondary']) {
        for (const one of diagnosis.children(rank)) {
          const raw = one.text('Code') || one.text('Value');
          const qualifier = one.text('Qualifier');
          const code = qualifier === 'LD' || qualifier === 'SNOMED' ? raw : dottedCode('ABK', raw);
          if (raw === '' || found.length >= LIST_LIMIT) continue;
          found.push(compact({ code, ...(code !== raw && { raw }), qualifier, text: one.text('Description') }));
        }
      }
    }
  }
  return found;
}

const PROVIDER_NAMES = ['Prescriber', 'Supervisor', 'Pharmacy', 'Facility'];
const PROVIDER = fieldTable(
  'npi=Identification/NPI ncpdp_id=Identification/NCPDPID dea=Identification/DEANumber ' +
    'state_license=Identification/StateLicenseNumber name=BusinessName|StoreName',
);

function describeProviders(transaction: XmlElement): Payload[] {
  return PROVIDER_NAMES.flatMap((name) => {
    const provider = personOf(transaction.find(name));
    const described = { ...describeElement(provider, PROVIDER), ...describeElement(provider, NAME) };
    return Object.keys(described).length === 0 ? [] : [{ role: name.toLowerCase(), ...described }];
  });
}

function describePriorAuthorization(transaction: XmlElement): Payload {
  const response = transaction.find('Response') ?? transaction;
  const status = response.find('ResponseStatus') ?? response;
  const state = status.childNames().flatMap((name) => status.find(name) ?? []);
  const first = (...names: string[]): string => {
    for (const place of [transaction, response, status, ...state]) {
      for (const name of names) if (place.text(name) !== '') return place.text(name);
    }
    return '';
  };
  const medication = transaction.find('MedicationPrescribed')?.text('PriorAuthorization') ?? '';
  return {
    authorization_number:
      first('PAAuthorizationNumber', 'AuthorizationNumber', 'PriorAuthorizationNumber') || medication,
    pa_reference_id: first('PAReferenceID'),
    case_id: first('PACaseID', 'CaseID'),
  };
}
