/** MongoDB's words for wrong named arguments. They differ by the time at which an operator was added. */
export interface Wording {
  notObject(operator: string, type: string): string;
  unknown(operator: string, key: string): string;
  missing(operator: string, key: string): string;
}

export const USUAL: Wording = {
  notObject: (operator, type) => `${operator} only supports an object as an argument, found ${type}`,
  unknown: (operator, key) => `${operator} found an unknown argument: ${key}`,
  missing: (operator, key) => `${operator} requires '${key}' to be specified`,
};

export const PARAMETERS: Wording = {
  notObject: (operator) => `${operator} only supports an object as its argument`,
  unknown: (operator, key) => `Unrecognized parameter to ${operator}: ${key}`,
  missing: (operator, key) => `Missing '${key}' parameter to ${operator}`,
};

export const ARGUMENTS: Wording = {
  ...PARAMETERS,
  unknown: (operator, key) => `Unrecognized argument to ${operator}: ${key}`,
};

export const DATE_PARTS: Wording = {
  ...ARGUMENTS,
  missing: (operator) => `${operator} requires either 'year' or 'isoWeekYear' to be present`,
};

/** The operators that read one part of a date. */
export const OPTIONS_OF_PART: Wording = {
  ...USUAL,
  unknown: (operator, key) => `unrecognized option to ${operator}: "${key}"`,
  missing: (operator, key) => `missing '${key}' argument to ${operator}`,
};

export const REPLACEMENT: Wording = {
  ...USUAL,
  notObject: (operator, type) => `${operator} requires an object as an argument, found: ${type}`,
};

export const NAMED: Wording = {
  ...USUAL,
  notObject: (operator, type) => `${operator} expects an object of named arguments but found: ${type}`,
  missing: (operator, key) => `${operator} requires '${key}' parameter`,
};

/** The operators that MongoDB's generated parsers read. */
export const GENERATED_TEXTS: Wording = {
  ...USUAL,
  unknown: (operator, key) => `BSON field '${operator}.${key}' is an unknown field.`,
  missing: (operator, key) => `BSON field '${operator}.${key}' is missing but a required field`,
};

export const CONVERSION: Wording = {
  ...PARAMETERS,
  unknown: USUAL.unknown,
  notObject: (operator, type) => `${operator} expects an object of named arguments but found: ${type}`,
};

export const OF_FIELD: Wording = {
  ...USUAL,
  notObject: (operator) => `${operator} only supports an object as its argument`,
};

export const OF_DATE_TEXT: Wording = {
  ...ARGUMENTS,
  notObject: (operator, type) => `${operator} only supports an object as an argument, found: ${type}`,
};

export const TRIMMED: Wording = { ...USUAL, missing: (operator, key) => `${operator} requires an '${key}' field` };

export const SHIFT: Wording = {
  notObject: (operator, type) => `${operator} expects an object as its argument.found input type:${type}`,
  unknown: (operator, key) =>
    `Unrecognized argument to ${operator}: ${key}. Expected arguments are startDate, unit, amount, and optionally timezone.`,
  missing: (operator) => `${operator} requires startDate, unit, and amount to be present`,
};

export const SOME: Wording = {
  notObject: (operator, type) => `specification must be an object; found ${operator} :${type}`,
  unknown: (_operator, key) => `Unknown argument for 'n' operator: ${key}`,
  missing: (_operator, key) => `Missing value for '${key}'`,
};

export const SWITCH: { readonly whole: Wording; readonly branch: Wording } = {
  whole: { ...REPLACEMENT, missing: () => '$switch requires at least one branch.' },
  branch: {
    notObject: (_operator, type) => `$switch expected each branch to be an object, found: ${type}`,
    unknown: (_operator, key) => `$switch found an unknown argument to a branch: ${key}`,
    missing: (_operator, key) => `$switch requires each branch have a '${key}' expression`,
  },
};
