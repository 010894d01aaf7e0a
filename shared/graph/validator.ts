import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type FieldFault, fault, unknownName } from '../errors/problem.js';
import { isJsonObject } from '../json/strict-json.js';
import { nearestName } from '../text/nearest-name.js';
import { instantOf } from '../time/rfc3339.js';
import { SCHEMA_REF_PREFIX } from './contract-field.js';
import { type ContractDocument, ContractError, type JsonSchema } from './json-schema.js';

/** Faults of a value against a contract type; an empty list means that it fits. Nothing is coerced, nothing stripped. */
export type Validator = (value: unknown) => readonly FieldFault[];

export interface Contract {
  readonly document: ContractDocument;
  /** @throws ContractError for a type that the contract does not hold. */
  validator(typeName: string): Validator;
  /** A validator of a schema that may refer to the contract's types. */
  compile(schema: JsonSchema): Validator;
}

/** Limit of reported faults. */
const MAX_FAULTS = 100;
/** Names of unknown members are repeated in the fault's path, but not at any length. */
const MAX_PATH_LENGTH = 200;
const DOCUMENT_ID = 'contract';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

const contracts = new WeakMap<ContractDocument, Contract>();

/** The contract of a document; all services of a process share the compiled checks. */
export function contractOf(document: ContractDocument): Contract {
  const known = contracts.get(document);
  if (known) return known;
  const contract = newContract(document);
  contracts.set(document, contract);
  return contract;
}

function newContract(document: ContractDocument): Contract {
  let ajv: Ajv | undefined;
  /** By the schema's text. */
  const compiled = new Map<string, Validator>();
  // At first use: a service has hundreds of checks, a run of tests meets a few of them.
  const compile = (schema: JsonSchema): Validator => {
    let validator: Validator | undefined;
    return (value) => {
      validator ??= compileOnce(schema);
      return validator(value);
    };
  };
  const compileOnce = (schema: JsonSchema): Validator => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known) return known;
    ajv ??= checksOf(document);
    const validator = faultsBy(ajv.compile(withAbsoluteRefs(schema)));
    compiled.set(text, validator);
    return validator;
  };
  return {
    document,
    compile,
    validator(typeName) {
      if (!document.components.schemas[typeName]) throw new ContractError(`the contract has no type ${typeName}`);
      return compile({ $ref: `${SCHEMA_REF_PREFIX}${typeName}` });
    },
  };
}

function checksOf(document: ContractDocument): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    // Names the members that a schema knows, for the nearest one.
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    // Ours are held to it by test/gateway/drift.test.ts; JSON Schema's own schema takes long to compile.
    validateSchema: false,
  });
  ajv.addKeyword('components');
  ajv.addFormat('date-time', (text: string) => instantOf(text) !== undefined);
  ajv.addFormat('date', (text: string) => DATE.test(text) && instantOf(`${text}T00:00:00Z`) !== undefined);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addSchema({ $id: DOCUMENT_ID, components: document.components });
  return ajv;
}

const absoluteRefs = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(absoluteRefs) : isJsonObject(value) ? withAbsoluteRefs(value) : value;

function withAbsoluteRefs(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? `${DOCUMENT_ID}${member}` : absoluteRefs(member),
    ]),
  );
}

const NO_FAULTS: readonly FieldFault[] = [];

function faultsBy(validate: ValidateFunction): Validator {
  return (value) => {
    if (validate(value)) return NO_FAULTS;
    const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'anyOf' && error.keyword !== 'oneOf');
    const list = errors.length > 0 ? errors : (validate.errors ?? []);
    return list.slice(0, MAX_FAULTS).map(faultOf);
  };
}

/** RFC 6901: `~` and `/` inside a name. */
export const pointerToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Words of our own for Ajv's errors: they name places, limits and types, and never a value that was sent. */
function faultOf(error: ErrorObject): FieldFault {
  const params: Readonly<Record<string, unknown>> = error.params;
  const at = (name: string): string => `${error.instancePath}/${pointerToken(name)}`.slice(0, MAX_PATH_LENGTH);
  const here = error.instancePath.slice(0, MAX_PATH_LENGTH);
  switch (error.keyword) {
    case 'required':
      return fault(at(String(params['missingProperty'])), 'required', 'Required.');
    case 'additionalProperties':
      return unknownField(at(String(params['additionalProperty'])), String(params['additionalProperty']), error);
    case 'type':
      return fault(here, 'type', `Must be of type ${[params['type']].flat().join(' or ')}.`);
    case 'enum':
      return fault(here, 'enum', `Must be one of ${[params['allowedValues']].flat().join(', ')}.`);
    case 'pattern':
      return fault(here, 'pattern', `Must match ${String(params['pattern'])}.`);
    case 'format':
      return fault(here, 'format', FORMAT_TEXT[String(params['format'])] ?? `Must be a ${String(params['format'])}.`);
    case 'minLength':
    case 'maxLength':
      return fault(here, 'length', `Must have ${bound(error.keyword)} ${String(params['limit'])} characters.`);
    case 'minItems':
    case 'maxItems':
      return fault(here, 'length', `Must have ${bound(error.keyword)} ${String(params['limit'])} items.`);
    case 'minimum':
    case 'maximum':
      return fault(here, 'range', `Must be ${bound(error.keyword)} ${String(params['limit'])}.`);
    case 'uniqueItems':
      return fault(here, 'unique', 'Must not repeat an item.');
    default:
      return fault(here, error.keyword, 'Does not fit its schema.');
  }
}

/** A known name that the value already has is no suggestion. */
function unknownField(path: string, name: string, { parentSchema, data }: ErrorObject): FieldFault {
  const properties: unknown = parentSchema?.['properties'];
  const given: object = isJsonObject(data) ? data : {};
  const missing = isJsonObject(properties) ? Object.keys(properties).filter((key) => !Object.hasOwn(given, key)) : [];
  return unknownName(path, { code: 'unknown_field', noun: 'field', nearest: nearestName(name, missing) });
}

const bound = (keyword: string): string => (keyword.startsWith('min') ? 'at least' : 'at most');

const FORMAT_TEXT: Readonly<Record<string, string>> = {
  'date-time': 'Must be an RFC 3339 time with a zone, such as 2026-03-02T14:11:09.123Z.',
  date: 'Must be a date such as 2026-03-02.',
  uri: 'Must be an absolute URI.',
};
