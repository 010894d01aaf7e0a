import type { AdapterWarning, Position } from './positions.js';

/** The highest plain number that X12 may give to a claim adjustment reason for years to come. */
const HIGHEST_CARC = 399;
const NUMBERED_CARC = /^[1-9]\d{0,2}$/;
/** Reasons of older and of property and casualty payers. */
const LETTERED_CARC = /^(?:[ABDPW][0-9]\d?|Y[1-3])$/;
/** Remarks: M1, MA01, N1. */
const RARC = /^(?:M\d{1,3}|MA\d{2,3}|N\d{1,3})$/;

const isPossibleCarc = (code: string): boolean =>
  NUMBERED_CARC.test(code) ? Number(code) <= HIGHEST_CARC : LETTERED_CARC.test(code);

/** Warns of reason and remark codes that no list can contain, such as CARC 9999 or RARC ZZZZ. */
export function impossibleCodes(payload: Readonly<Record<string, unknown>>, position: Position): AdapterWarning[] {
  const warnings: AdapterWarning[] = [];
  if (textsOf(payload['carc']).some((code) => !isPossibleCarc(code))) {
    const message = 'a claim adjustment reason code has a form that no code of the list has';
    warnings.push({ code: 'CARC_IMPOSSIBLE', message, position });
  }
  if (textsOf(payload['rarc']).some((code) => !RARC.test(code))) {
    const message = 'a remittance advice remark code has a form that no code of the list has';
    warnings.push({ code: 'RARC_IMPOSSIBLE', message, position });
  }
  return warnings;
}

const NONE: readonly string[] = [];

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : NONE;
