/**
 * NCPDP reject codes (511-FB) met most, in our own words. The official list and its texts are NCPDP's; the numbers are facts of
 * public payer sheets. They are not CARCs, and a code that is not here may still be a good one.
 */
export const rejectTableVersion = '2026-11';

export interface RejectCode {
  readonly meaning: string;
  readonly group: string;
}

const rejects: ReadonlyMap<string, RejectCode> = new Map(
  Object.entries({
    '01': { meaning: 'bank identification number missing or wrong', group: 'routing' },
    '02': { meaning: 'version missing or wrong', group: 'routing' },
    '03': { meaning: 'transaction code missing or wrong', group: 'routing' },
    '04': { meaning: 'processor control number missing or wrong', group: 'routing' },
    '05': { meaning: 'pharmacy id missing or wrong', group: 'provider' },
    '06': { meaning: 'group id missing or wrong', group: 'eligibility' },
    '07': { meaning: 'cardholder id missing or wrong', group: 'eligibility' },
    '08': { meaning: 'person code missing or wrong', group: 'eligibility' },
    '09': { meaning: 'birth date missing or wrong', group: 'eligibility' },
    '10': { meaning: 'patient sex missing or wrong', group: 'eligibility' },
    '11': { meaning: 'relationship code missing or wrong', group: 'eligibility' },
    '13': { meaning: 'other coverage code missing or wrong', group: 'coordination_of_benefits' },
    '15': { meaning: 'date of service missing or wrong', group: 'data' },
    '16': { meaning: 'prescription number missing or wrong', group: 'data' },
    '17': { meaning: 'fill number missing or wrong', group: 'data' },
    '19': { meaning: "days' supply missing or wrong", group: 'data' },
    '20': { meaning: 'compound code missing or wrong', group: 'data' },
    '21': { meaning: 'product id missing or wrong', group: 'data' },
    '22': { meaning: 'dispense-as-written code missing or wrong', group: 'data' },
    '23': { meaning: 'ingredient cost missing or wrong', group: 'pricing' },
    '25': { meaning: 'prescriber id missing or wrong', group: 'provider' },
    '26': { meaning: 'unit of measure missing or wrong', group: 'data' },
    '28': { meaning: 'date written missing or wrong', group: 'data' },
    '29': { meaning: 'refills authorized missing or wrong', group: 'data' },
    '39': { meaning: 'diagnosis missing or wrong', group: 'data' },
    '40': { meaning: 'pharmacy not contracted on the date', group: 'network' },
    '41': { meaning: 'bill another processor or the primary payer', group: 'coordination_of_benefits' },
    '50': { meaning: 'pharmacy not matched', group: 'provider' },
    '51': { meaning: 'group not matched', group: 'eligibility' },
    '52': { meaning: 'cardholder not matched', group: 'eligibility' },
    '53': { meaning: 'person code not matched', group: 'eligibility' },
    '54': { meaning: 'product not matched', group: 'coverage' },
    '55': { meaning: 'package size not matched', group: 'coverage' },
    '56': { meaning: 'prescriber not matched', group: 'provider' },
    '60': { meaning: 'not covered at this age', group: 'coverage' },
    '61': { meaning: 'not covered for this sex', group: 'coverage' },
    '62': { meaning: 'patient name does not match the card', group: 'eligibility' },
    '63': { meaning: 'not covered for an institutionalized patient', group: 'coverage' },
    '64': { meaning: 'claim does not match the prior authorization', group: 'authorization' },
    '65': { meaning: 'patient is not covered', group: 'eligibility' },
    '66': { meaning: 'patient above the age limit', group: 'eligibility' },
    '67': { meaning: 'filled before coverage began', group: 'eligibility' },
    '68': { meaning: 'filled after coverage expired', group: 'eligibility' },
    '69': { meaning: 'filled after coverage ended', group: 'eligibility' },
    '70': { meaning: 'product not covered: plan exclusion', group: 'coverage' },
    '71': { meaning: 'prescriber not covered', group: 'provider' },
    '72': { meaning: 'primary prescriber not covered', group: 'provider' },
    '73': { meaning: 'refills not covered', group: 'coverage' },
    '74': { meaning: "other payer's payment covers it", group: 'coordination_of_benefits' },
    '75': { meaning: 'prior authorization required', group: 'authorization' },
    '76': { meaning: 'plan limits exceeded', group: 'utilization' },
    '77': { meaning: 'product discontinued', group: 'coverage' },
    '78': { meaning: 'cost above the maximum', group: 'utilization' },
    '79': { meaning: 'refill too soon', group: 'utilization' },
    '80': { meaning: 'diagnosis does not fit the drug', group: 'utilization' },
    '81': { meaning: 'claim too old', group: 'timely_filing' },
    '82': { meaning: 'claim dated in the future', group: 'data' },
    '83': { meaning: 'duplicate of a paid or captured claim', group: 'duplicate' },
    '84': { meaning: 'claim to act on was not paid or captured', group: 'reversal' },
    '85': { meaning: 'claim not processed', group: 'system' },
    '86': { meaning: 'reverse by hand', group: 'reversal' },
    '87': { meaning: 'reversal not processed', group: 'reversal' },
    '88': { meaning: 'drug-use review rejection', group: 'safety' },
    '92': { meaning: 'system or host unavailable', group: 'system' },
    '95': { meaning: 'time out', group: 'system' },
    '96': { meaning: 'scheduled downtime', group: 'system' },
    '97': { meaning: 'payer unavailable', group: 'system' },
    '98': { meaning: 'connection to payer down', group: 'system' },
    '99': { meaning: 'host processing error', group: 'system' },
    '3W': { meaning: 'prior authorization in process', group: 'authorization' },
    '3X': { meaning: 'authorization number not found', group: 'authorization' },
    '3Y': { meaning: 'prior authorization denied', group: 'authorization' },
    '4W': { meaning: 'must be filled by a specialty pharmacy', group: 'network' },
    '569': { meaning: 'give the Medicare coverage-rights notice', group: 'notice' },
    '608': { meaning: 'step therapy: try another drug first', group: 'utilization' },
    '7X': { meaning: "days' supply above the plan limit", group: 'utilization' },
    '828': { meaning: 'case-management restriction in place', group: 'utilization' },
    '922': { meaning: 'opioid dose above the limit', group: 'safety' },
    '9G': { meaning: 'quantity above the maximum', group: 'utilization' },
    A5: { meaning: 'not covered under Part D law', group: 'coverage' },
    A6: { meaning: 'may belong under Part B', group: 'coordination_of_benefits' },
    AF: { meaning: 'patient is in managed care', group: 'coordination_of_benefits' },
    AG: { meaning: "days' supply limit for the product", group: 'utilization' },
    E7: { meaning: 'quantity missing or wrong', group: 'data' },
    M1: { meaning: 'not covered in this aid category', group: 'eligibility' },
    M2: { meaning: 'patient locked in to another provider', group: 'utilization' },
    MR: { meaning: 'not on the formulary', group: 'coverage' },
  }),
);

/** What a reject code means; undefined for one that the table does not have. */
export function describeReject(code: string): RejectCode | undefined {
  return rejects.get(code);
}

/** Every code of the table, in its order. */
export function rejectCodes(): string[] {
  return [...rejects.keys()];
}
