import { dottedCode, jurisdictionOf, normalizeNdc, stateOf } from '../../values/codes.js';
import { compact, cutText, fieldTable, filled, unique } from '../../values/payload.js';
import { Describer, type Find, LIST_LIMIT, PATIENT, type Payload, readQuantity } from './describe-parts.js';
import type { Segment, Warn } from './segment.js';

const PRESCRIPTION = fieldTable(
  'number=D2 qualifier=EM fill_number=D3 days_supply=D5 compound_code=D6 dispense_as_written=D8 ' +
    'refills_authorized=DF origin_code=DJ other_coverage_code=C8 unit_of_measure=28 level_of_service=DI ' +
    'dispensing_status=HD associated_number=EN delay_reason=NV pharmacy_service_type=U7 quantity=#E7 ' +
    'quantity_prescribed=#ET written_date=@DE',
);
const QUANTITY = fieldTable('quantity=#E7');
const INGREDIENT = fieldTable('qualifier=RE code=TE amount=ED ingredient_cost=$EE');
const ASKED_OTHER = fieldTable('qualifier=H8 amount=$H9');
const ASKED_REVIEW = fieldTable('reason=E4 service=E5 result=E6 effort=8E');
const SUBMITTED_AUTHORIZATION = fieldTable('type_code=EU submitted_number=EV');
const CARDHOLDER = fieldTable(
  'id=C2 first_name=CC last_name=CD person_code=C3 relationship=C6 plan_id=FO medicaid_id=N5 ' +
    'medicaid_indicator=2B',
);
const ASKED_AMOUNTS = fieldTable(
  'ingredient_cost=$D9 dispensing_fee=$DC professional_service=$BE incentive=$E3 patient_paid=$DX flat_tax=$HA ' +
    'percentage_tax=$GE usual_and_customary=$DQ gross_due=$DU',
);
const OTHER_PAYERS = fieldTable(
  'coverage_type=5C id_qualifier=6C id=7C internal_control_number=A7 amount_paid=$DV reject_code=6E',
);
const PROVIDERS = [
  ['AM03', 'prescriber', fieldTable('id=DB id_qualifier=EZ last_name=DR first_name=2J state=2N')],
  ['AM03', 'primary_care', fieldTable('id=DL id_qualifier=2E last_name=4E')],
  ['AM02', 'pharmacist', fieldTable('id=E9 id_qualifier=EY')],
] as const;
const REQUESTED_AUTHORIZATION = fieldTable(
  'request_type=PA basis=PD assigned_number=PY claim_number=F3 period_from=@PB period_to=@PC',
);

/** The payload of one transaction of a request. `find` searches the transaction's segments, then the shared ones. */
export function describeRequest(find: Find, warn: Warn): Payload {
  const described = new Describer(find, warn);
  const [claim, prior] = [find('AM07'), find('AM12')];
  const number = prior?.value('PY') || claim?.value('EV') || '';
  return {
    claim_id: claim?.value('D2'),
    prescription: compact({
      ...described.fields('AM07', PRESCRIPTION),
      submission_clarification_codes: claim?.values('DK').slice(0, LIST_LIMIT),
      procedure_modifiers: claim?.values('ER').slice(0, LIST_LIMIT),
    }),
    patient: described.fields('AM01', PATIENT),
    cardholder: described.fields('AM04', CARDHOLDER),
    person_code: find('AM04')?.value('C3'),
    group_number: find('AM04')?.value('C1'),
    program: programOf(find('AM04'), find('AM06')),
    providers: PROVIDERS.flatMap(([id, role, names]) => {
      const provider = described.fields(id, names);
      return Object.keys(provider).length === 0 ? [] : [{ role, ...provider }];
    }),
    rationale: filled([find('AM16')?.value('BM') ?? '', prior?.value('PP') ?? '']).join('\n'),
    amounts: compact({
      ...described.fields('AM11', ASKED_AMOUNTS),
      other: [...described.groups('AM11', ASKED_OTHER)],
    }),
    // Another payer's decision; its rejects are not this payer's.
    other_payers: [...described.groups('AM05', OTHER_PAYERS, ['E8'])].filter((payer) => Object.keys(payer).length > 0),
    utilization_review: [...described.groups('AM08', ASKED_REVIEW)],
    authorization: {
      ...described.fields('AM07', SUBMITTED_AUTHORIZATION),
      ...described.fields('AM12', REQUESTED_AUTHORIZATION),
    },
    authorization_number: /^0*$/.test(number) ? '' : number,
    ...describeProducts(described),
    ...describeDiagnoses(find('AM13')),
    jurisdiction: jurisdictionOf(stateIn(find('AM01'), 'CO'), stateIn(find('AM15'), '3V')),
  };
}

function stateIn(segment: Segment | undefined, id: string): { state: string } | null {
  return segment === undefined ? null : { state: stateOf(segment.value(id), '') };
}

/** 360-2B and 115-N5 mean Medicaid, AM06 means workers' compensation; no other field names a program. */
function programOf(insurance: Segment | undefined, compensation: Segment | undefined): string | undefined {
  if (compensation !== undefined) return 'WorkersComp';
  const medicaid = insurance?.value('2B') || insurance?.value('N5') || '';
  return medicaid === '' ? undefined : 'Medicaid';
}

/** 407-D7, or the ingredients of a compound (489-TE). */
function describeProducts(described: Describer): Payload {
  const { find, warn } = described;
  const lines: Payload[] = [];
  const take = (raw: string, qualifier: unknown, more: Payload, segment: Segment): void => {
    // 407-D7 is a single 0 if ingredients follow.
    if (/^0*$/.test(raw)) return;
    const ndc = qualifier === '03' ? normalizeNdc(raw) : raw;
    if (ndc === null) warn('NDC_UNREADABLE', 'a product id qualified as an NDC does not have eleven digits', segment);
    const code = ndc ?? raw;
    lines.push(compact({ procedure_code: code, ...(code !== raw && { raw }), qualifier, ...more }));
  };
  const [claim, compound] = [find('AM07'), find('AM10')];
  const quantity = described.fields('AM07', QUANTITY);
  if (claim !== undefined) take(claim.value('D7'), claim.value('E1'), quantity, claim);
  for (const ingredient of described.groups('AM10', INGREDIENT)) {
    const { qualifier, code = '', amount = '', ingredient_cost } = ingredient;
    const more = { quantity: readQuantity(String(amount)), ingredient_cost };
    if (compound !== undefined) take(String(code), qualifier, more, compound);
  }
  return { procedure_codes: unique(lines.map(({ procedure_code }) => String(procedure_code))), lines };
}

/** 424-DO with its qualifier (492-WE: 02 ICD-10, 01 ICD-9). */
function describeDiagnoses(clinical: Segment | undefined): Payload {
  const diagnoses: Payload[] = [];
  let qualifier = '';
  for (const { id, value } of clinical?.sequence('WE', 'DO') ?? []) {
    if (id === 'WE') qualifier = value;
    const raw = id === 'DO' ? value.toUpperCase() : '';
    if (raw === '' || diagnoses.length >= LIST_LIMIT) continue;
    const code = qualifier === '02' || qualifier === '01' || qualifier === '' ? dottedCode('ABK', raw) : raw;
    diagnoses.push(compact({ code, ...(code !== raw && { raw }), qualifier }));
  }
  return { diagnosis_codes: unique(diagnoses.map(({ code }) => String(code))), diagnoses };
}

const ANSWERED_AMOUNTS = fieldTable(
  'patient_pay=$F5 ingredient_cost=$F6 dispensing_fee=$F7 incentive=$FL professional_service=$J1 flat_tax=$AW ' +
    'percentage_tax=$AX total_paid=$F9 copay=$FI coinsurance=$4U applied_to_deductible=$FH exceeding_maximum=$FK ' +
    'sales_tax_to_patient=$FN other_payer_recognized=$J5 accumulated_deductible=$FC remaining_deductible=$FD ' +
    'remaining_benefit=$FE processor_fee_to_patient=$NZ generic_savings=$G3 spending_account_remaining=$UC ' +
    'plan_funded_assistance=$UD network_selection=$UJ brand_selection=$UK nonpreferred_selection=$UM ' +
    'brand_nonpreferred_selection=$UN coverage_gap=$UP',
);
const ANSWERED_AUTHORIZATION = fieldTable(
  'assigned_number=PY processed_date=@PR effective_date=@PS expiration_date=@PT refills_authorized=PW ' +
    'dollars_authorized=$RB',
);
const ANSWERED_PRESCRIPTION = fieldTable('number=D2 qualifier=EM');
const ANSWERED_CARDHOLDER = fieldTable('id=C2 plan_id=FO');
const OTHER_AMOUNTS = fieldTable('qualifier=J3 amount=$J4');
const PREFERRED = fieldTable('qualifier=AP code=AR description=AU');
const REVIEW = fieldTable('reason=E4 significance=FS message=FY text=NS');
const RATIONALE_LIMIT = 20_000;

/** The payload of one transaction of a response. */
export function describeResponse(find: Find, warn: Warn): Payload {
  const described = new Describer(find, warn);
  const [status, claim, insurance] = [find('AM21'), find('AM22'), find('AM25')];
  return {
    claim_id: claim?.value('D2'),
    payer_claim_id: status?.value('A7') || claim?.value('A7'),
    // 503-F3 is the processor's authorization number; the claim's number is 993-A7.
    authorization_number: find('AM26')?.value('PY') || status?.value('F3'),
    prescription: described.fields('AM22', ANSWERED_PRESCRIPTION),
    response_status: status?.value('AN'),
    ...describeRejects(described),
    approved_message_codes: status?.values('6F').slice(0, LIST_LIMIT),
    rationale: rationaleOf(status, find('AM20')),
    amounts: compact({
      ...described.fields('AM23', ANSWERED_AMOUNTS),
      other: [...described.groups('AM23', OTHER_AMOUNTS)],
    }),
    basis_of_reimbursement: find('AM23')?.value('FM'),
    patient: described.fields('AM29', PATIENT),
    cardholder: described.fields('AM25', ANSWERED_CARDHOLDER),
    group_number: insurance?.value('C1'),
    network_id: insurance?.value('2F'),
    preferred_products: [...described.groups('AM22', PREFERRED)].map((one) =>
      one['qualifier'] === '03' ? { ...one, ...normalized(one['code']) } : one,
    ),
    utilization_review: [...described.groups('AM24', REVIEW, ['FW'])],
    authorization: described.fields('AM26', ANSWERED_AUTHORIZATION),
    help_desk: status?.value('8F'),
    jurisdiction: 'US',
  };
}

function normalized(code: unknown): Payload {
  const ndc = typeof code === 'string' ? normalizeNdc(code) : null;
  return ndc === null ? {} : { code: ndc };
}

/** 511-FB: not CARCs, so they have a separate field. */
function describeRejects({ find, warn }: Describer): Payload {
  const status = find('AM21');
  if (status === undefined) return {};
  const rejects = status
    .repetitions(['FB', '4F'])
    .slice(0, LIST_LIMIT)
    .flatMap((one) => {
      const code = (one.get('FB') ?? '').toUpperCase();
      if (code === '') return [];
      if (!/^[0-9A-Z]{1,3}$/.test(code)) {
        warn('REJECT_UNREADABLE', '511-FB has no reject code', status);
        return [];
      }
      return [compact({ code, occurrence: one.get('4F') })];
    });
  const declared = status.value('FA');
  if (declared !== '' && Number(declared) !== rejects.length) {
    warn('REJECT_COUNT_MISMATCH', `510-FA differs from the ${rejects.length} reject codes found`, status);
  }
  const codes = unique(rejects.map(({ code }) => String(code)));
  return { reject_codes: codes, rejects: rejects.some(({ occurrence }) => occurrence !== undefined) ? rejects : [] };
}

/** 526-FQ in the order of 132-UH, joined where 131-UG says that a text continues; then 504-F4. */
function rationaleOf(status: Segment | undefined, message: Segment | undefined): string {
  const pieces = status?.repetitions(['UH', 'FQ', 'UG']).slice(0, LIST_LIMIT) ?? [];
  const ordered = pieces.toSorted((a, b) => Number(a.get('UH') ?? 0) - Number(b.get('UH') ?? 0) || 0);
  let text = '';
  let continues = false;
  for (const piece of ordered) {
    const words = piece.get('FQ') ?? '';
    if (words !== '') text += text === '' || continues ? words : `\n${words}`;
    continues = piece.get('UG') === '+';
  }
  const all = filled([text, status?.value('F4') ?? '', message?.value('F4') ?? '']).join('\n');
  return cutText(all, RATIONALE_LIMIT);
}
