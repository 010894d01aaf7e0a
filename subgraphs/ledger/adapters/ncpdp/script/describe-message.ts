import { jurisdictionOf, stateOf } from '../../x12/codes.js';
import { compact, unique } from '../../x12/compact.js';
import { dottedIcd10, normalizeNdc } from '../ndc.js';
import { readDay } from './timestamps.js';
import type { XmlElement } from './xml-element.js';

type Payload = Record<string, unknown>;
export type Warn = (code: string, message: string) => void;

const listLimit = 100;
const medicationNames = ['MedicationPrescribed', 'MedicationRequested', 'MedicationDispensed', 'MedicationResponse'];

/** The payload of one transaction. */
export function describeMessage(transaction: XmlElement, warn: Warn): Payload {
  const patient = personOf(transaction.find('Patient'));
  const medications = medicationNames.flatMap((name) =>
    transaction
      .children(name)
      .slice(0, listLimit)
      .map((medication) => describeMedication(medication, name, warn)),
  );
  const diagnoses = describeDiagnoses(transaction);
  const service = transaction.find('Facility', 'Address') ?? transaction.find('Pharmacy', 'Address');
  const codes = medications.map(({ ndc }) => (typeof ndc === 'string' ? ndc : '')).filter((code) => code !== '');
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

/** 2017071 puts a person into HumanPatient or NonVeterinarian, 10.6 does not. */
function personOf(element: XmlElement | undefined): XmlElement | undefined {
  return element?.find('HumanPatient') ?? element?.find('NonVeterinarian') ?? element?.find('Veterinarian') ?? element;
}

/** 2023011 gives an address its state as StateProvince, 10.6 as State. */
function stateIn(address: XmlElement | undefined): { state: string } | null {
  if (address === undefined) return null;
  const state = address.text('StateProvince') || address.text('State');
  return { state: stateOf(state, address.text('CountryCode') || address.text('Country')) };
}

function describePatient(patient: XmlElement | undefined): Payload | undefined {
  if (patient === undefined) return undefined;
  const birthDate = patient.text('DateOfBirth', 'Date') || patient.text('DateOfBirth');
  return compact({
    ...nameOf(patient),
    gender: patient.text('Gender') || patient.text('GenderAndSex', 'Gender'),
    birth_date: readDay(birthDate),
    state: stateIn(patient.find('Address'))?.state,
  });
}

function nameOf(person: XmlElement): Payload {
  return {
    last_name: person.text('Name', 'LastName'),
    first_name: person.text('Name', 'FirstName'),
    middle_name: person.text('Name', 'MiddleName'),
  };
}

/** Every identifier of a patient but the social security number, which is not needed to tell who it is. */
function identifiersOf(patient: XmlElement | undefined): Payload[] {
  const identification = patient?.find('Identification');
  if (identification === undefined) return [];
  return identification
    .childNames()
    .filter((name) => !/^(?:SocialSecurity|SSN)/i.test(name))
    .slice(0, listLimit)
    .map((name) => compact({ type: name, id: identification.text(name) }))
    .filter(({ id }) => id !== undefined);
}

/** The plan's own numbers of a patient first, then the cardholder's, then any other that names the patient. */
export function memberIdsOf(transaction: XmlElement): string[] {
  const identification = personOf(transaction.find('Patient'))?.find('Identification');
  const own = (names: readonly string[]): string[] => names.map((name) => identification?.text(name) ?? '');
  const benefits = transaction.find('BenefitsCoordination');
  return [
    ...own(['MemberID', 'PBMMemberID', 'MedicaidNumber', 'MedicareNumber']),
    ...['CardholderID', 'CardHolderID', 'PBMMemberID'].map((name) => benefits?.text(name) ?? ''),
    ...own([
      'PatientID',
      'PatientIdentifier',
      'MedicalRecordIdentificationNumberEHR',
      'FileID',
      'PatientAccountNumber',
    ]),
  ].filter((id) => id !== '');
}

function describeCoverage(transaction: XmlElement): Payload[] {
  return transaction
    .children('BenefitsCoordination')
    .slice(0, listLimit)
    .map((benefits) =>
      compact({
        payer: benefits.text('PayerName'),
        bin:
          benefits.text('PayerIdentification', 'IINNumber') ||
          benefits.text('PayerIdentification', 'BINLocationNumber'),
        pcn: benefits.text('PayerIdentification', 'ProcessorIdentificationNumber'),
        cardholder_id: benefits.text('CardholderID') || benefits.text('CardHolderID'),
        group_number: benefits.text('GroupID'),
        relationship: benefits.text('PatientRelationship'),
      }),
    )
    .filter((benefits) => Object.keys(benefits).length > 0);
}

function describeMedication(medication: XmlElement, role: string, warn: Warn): Payload {
  const drug = medication.find('DrugCoded') ?? medication.find('Product', 'DrugCoded');
  const product = drug?.find('ProductCode');
  const code = product?.text('Code') || product?.text() || '';
  const qualifier = product?.text('Qualifier') || product?.attribute('Qualifier') || '';
  const isNdc = code !== '' && (qualifier === 'ND' || qualifier === '');
  const ndc = isNdc ? normalizeNdc(code) : null;
  if (isNdc && ndc === null) warn('NDC_UNREADABLE', 'a product code said to be an NDC has not eleven digits');
  const quantity = medication.find('Quantity');
  const unit = quantity?.text('QuantityUnitOfMeasure', 'Code') || quantity?.text('QuantityUnitOfMeasure') || '';
  const other = drug?.find('DrugDBCode');
  return compact({
    role,
    description: medication.text('DrugDescription'),
    ndc: isNdc ? (ndc ?? code) : '',
    product_code: code,
    product_qualifier: qualifier,
    drug_code: other?.text('Code') || other?.text(),
    drug_code_qualifier: other?.text('Qualifier') || other?.attribute('Qualifier'),
    quantity: quantity?.text('Value'),
    quantity_unit: unit,
    days_supply: medication.text('DaysSupply'),
    refills: medication.text('NumberOfRefills') || medication.text('Refills', 'Value') || medication.text('Refills'),
    substitutions: medication.text('Substitutions'),
    written_date: readDay(medication.text('WrittenDate', 'Date') || medication.text('WrittenDate')),
    last_fill_date: readDay(medication.text('LastFillDate', 'Date') || medication.text('LastFillDate')),
    sig: medication.text('Sig', 'SigText') || medication.text('SigText') || medication.text('Directions'),
    note: medication.text('Note'),
    prior_authorization: medication.text('PriorAuthorization'),
    prior_authorization_status: medication.text('PriorAuthorizationStatus'),
  });
}

/** Of a medication: Diagnosis/Primary and /Secondary, coded ABF (ICD-10-CM) or LD (SNOMED CT). */
function describeDiagnoses(transaction: XmlElement): Payload[] {
  const found: Payload[] = [];
  for (const medication of medicationNames.flatMap((name) => transaction.children(name))) {
    for (const diagnosis of medication.children('Diagnosis')) {
      for (const rank of ['Primary', 'Secondary']) {
        for (const one of diagnosis.children(rank)) {
          const raw = one.text('Code') || one.text('Value');
          const qualifier = one.text('Qualifier');
          const code = qualifier === 'LD' || qualifier === 'SNOMED' ? raw : dottedIcd10(raw);
          if (raw === '' || found.length >= listLimit) continue;
          found.push(compact({ code, ...(code !== raw && { raw }), qualifier, text: one.text('Description') }));
        }
      }
    }
  }
  return found;
}

const providerNames = [
  ['Prescriber', 'prescriber'],
  ['Supervisor', 'supervisor'],
  ['Pharmacy', 'pharmacy'],
  ['Facility', 'facility'],
] as const;

function describeProviders(transaction: XmlElement): Payload[] {
  return providerNames.flatMap(([name, role]) => {
    const provider = personOf(transaction.find(name));
    if (provider === undefined) return [];
    const identification = provider.find('Identification');
    const described = compact({
      npi: identification?.text('NPI'),
      ncpdp_id: identification?.text('NCPDPID'),
      dea: identification?.text('DEANumber'),
      state_license: identification?.text('StateLicenseNumber'),
      name: provider.text('BusinessName') || provider.text('StoreName'),
      ...nameOf(provider),
    });
    return Object.keys(described).length === 0 ? [] : [{ role, ...described }];
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
