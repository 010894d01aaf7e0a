import {
  ARGUMENTS,
  CONVERSION,
  DATE_PARTS,
  GENERATED_TEXTS,
  NAMED,
  OF_DATE_TEXT,
  OF_FIELD,
  OPTIONS_OF_PART,
  PARAMETERS,
  REPLACEMENT,
  SHIFT,
  SOME,
  SWITCH,
  TRIMMED,
  USUAL,
  type Wording,
} from './argument-texts.js';

/**
 * The codes with which MongoDB rejects the named arguments of an operator. An operator without
 * an entry, or an argument without a code, has the code of a parse failure.
 */
interface ArgumentCodes {
  readonly wording?: Wording;
  /** The argument is not an object. */
  readonly notObject?: number;
  readonly unknown?: number;
  readonly missing?: Readonly<Record<string, number>>;
}

const DATE_SHIFT: ArgumentCodes = {
  wording: SHIFT,
  notObject: 5_166_400,
  unknown: 5_166_401,
  missing: { startDate: 5_166_402, unit: 5_166_402, amount: 5_166_402 },
};
const DATE_PART: ArgumentCodes = { wording: OPTIONS_OF_PART, unknown: 40_535, missing: { date: 40_539 } };
const SOME_OF: ArgumentCodes = {
  wording: SOME,
  notObject: 5_787_801,
  unknown: 5_787_901,
  missing: { n: 5_787_906, input: 5_787_907 },
};
const TRIM: ArgumentCodes = { wording: TRIMMED, notObject: 50_696, unknown: 50_694, missing: { input: 50_695 } };
const REGEX: ArgumentCodes = {
  wording: NAMED,
  notObject: 51_103,
  unknown: 31_024,
  missing: { input: 31_022, regex: 31_023 },
};
const REPLACE: ArgumentCodes = {
  wording: REPLACEMENT,
  notObject: 51_751,
  unknown: 51_750,
  missing: { input: 51_749, find: 51_748, replacement: 51_747 },
};
const SET_FIELD: ArgumentCodes = {
  wording: OF_FIELD,
  notObject: 4_161_100,
  unknown: 4_161_101,
  missing: { field: 4_161_102, value: 4_161_103, input: 4_161_109 },
};
/** Parsed by MongoDB's generated parsers, which share codes. */
const GENERATED: ArgumentCodes = {
  wording: GENERATED_TEXTS,
  notObject: 7_429_703,
  unknown: 40_415,
  missing: { input: 40_414, p: 40_414, method: 40_414 },
};
const GRAPH_LOOKUP_MISSING = ['from', 'as', 'startWith', 'connectFromField', 'connectToField'];

export const ARGUMENT_CODES: Readonly<Record<string, ArgumentCodes>> = {
  $filter: { wording: PARAMETERS, notObject: 28_646, unknown: 28_647, missing: { input: 28_648, cond: 28_650 } },
  $map: { wording: PARAMETERS, notObject: 16_878, unknown: 16_879, missing: { input: 16_880, in: 16_882 } },
  $reduce: {
    wording: REPLACEMENT,
    notObject: 40_075,
    unknown: 40_076,
    missing: { input: 40_077, initialValue: 40_078, in: 40_079 },
  },
  $zip: { notObject: 34_460, unknown: 34_464, missing: { inputs: 34_465 } },
  $sortArray: {
    wording: REPLACEMENT,
    notObject: 2_942_500,
    unknown: 2_942_501,
    missing: { input: 2_942_502, sortBy: 2_942_503 },
  },
  $firstN: SOME_OF,
  $lastN: SOME_OF,
  $minN: SOME_OF,
  $maxN: SOME_OF,
  $cond: {
    wording: PARAMETERS,
    unknown: 17_083,
    missing: Object.fromEntries([
      ['if', 17_080],
      ['then', 17_081],
      ['else', 17_082],
    ]),
  },
  $switch: { wording: SWITCH.whole, notObject: 40_060, unknown: 40_067, missing: { branches: 40_068 } },
  'a branch of $switch': {
    wording: SWITCH.branch,
    notObject: 40_062,
    unknown: 40_063,
    missing: Object.fromEntries([
      ['case', 40_064],
      ['then', 40_065],
    ]),
  },
  $let: { wording: PARAMETERS, notObject: 16_874, unknown: 16_875, missing: { vars: 16_876, in: 16_877 } },
  $getField: { unknown: 3_041_701, missing: { field: 3_041_702, input: 3_041_703 } },
  $setField: SET_FIELD,
  $unsetField: SET_FIELD,
  $trim: TRIM,
  $ltrim: TRIM,
  $rtrim: TRIM,
  $regexMatch: REGEX,
  $regexFind: REGEX,
  $regexFindAll: REGEX,
  $replaceOne: REPLACE,
  $replaceAll: REPLACE,
  $convert: { wording: CONVERSION },
  $percentile: GENERATED,
  $median: GENERATED,
  $dateToString: { wording: ARGUMENTS, notObject: 18_629, unknown: 18_534, missing: { date: 18_628 } },
  $dateFromString: { wording: OF_DATE_TEXT, notObject: 40_540, unknown: 40_541, missing: { dateString: 40_542 } },
  $dateToParts: { wording: ARGUMENTS, notObject: 40_524, unknown: 40_520, missing: { date: 40_522 } },
  $dateFromParts: {
    wording: DATE_PARTS,
    notObject: 40_519,
    unknown: 40_518,
    missing: { year: 40_516, isoWeekYear: 40_516 },
  },
  $dateAdd: DATE_SHIFT,
  $dateSubtract: DATE_SHIFT,
  $dateDiff: {
    wording: ARGUMENTS,
    notObject: 5_166_301,
    unknown: 5_166_302,
    missing: { startDate: 5_166_303, endDate: 5_166_304, unit: 5_166_305 },
  },
  $dateTrunc: {
    wording: ARGUMENTS,
    notObject: 5_439_007,
    unknown: 5_439_008,
    missing: { date: 5_439_009, unit: 5_439_010 },
  },
  ...Object.fromEntries(
    ['$year', '$month', '$dayOfMonth', '$hour', '$minute', '$second', '$millisecond', '$dayOfWeek', '$dayOfYear']
      .concat(['$week', '$isoWeek', '$isoWeekYear', '$isoDayOfWeek'])
      .map((name) => [name, DATE_PART]),
  ),
  $graphLookup: {
    unknown: 40_104,
    missing: Object.fromEntries(GRAPH_LOOKUP_MISSING.map((name) => [name, 40_105])),
    wording: {
      ...USUAL,
      unknown: (operator, key) => `Unknown argument to ${operator}: ${key}`,
      missing: (operator) =>
        `${operator} requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.`,
    },
  },
};
