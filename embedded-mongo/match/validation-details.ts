import { Int32 } from 'bson';
import { decodeRef } from '../bson/decode.js';
import { findPath, RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc, T, TYPE_NAMES } from '../bson/value.js';
import { compileKeyword, compileSchema, elementsOf, keywordsOf } from './json-schema.js';
import { compileMatcher, type MatchExpressions } from './matcher.js';
import { isOperatorDoc } from './parse.js';
import { compileRegex } from './regex.js';

/** Explains why a value breaks a schema, in the shape of MongoDB's `errInfo.details.schemaRulesNotSatisfied`. */
function schemaDetails(schema: BsonDoc, value: RawRef): BsonDoc[] {
  return keywordsOf(schema).flatMap(([keyword, argument]) => {
    if (compileKeyword(keyword, argument, schema)(value)) return [];
    const describe = DESCRIBERS[keyword] ?? plainDetail;
    return [describe({ keyword, argument, schema, value })];
  });
}

interface Failure {
  readonly keyword: string;
  readonly argument: BsonValue;
  readonly schema: BsonDoc;
  readonly value: RawRef;
}

const REASONS: Readonly<Record<string, string>> = {
  bsonType: 'type did not match',
  type: 'type did not match',
  enum: 'value was not found in enum',
  minLength: 'specified string length was not satisfied',
  maxLength: 'specified string length was not satisfied',
  minItems: 'array did not match specified length',
  maxItems: 'array did not match specified length',
  minProperties: 'specified number of properties was not satisfied',
  maxProperties: 'specified number of properties was not satisfied',
  pattern: 'regular expression did not match',
  uniqueItems: 'found a duplicate item',
  multipleOf: 'considered value is not a multiple of the specified value',
};

function specified({ keyword, argument }: Failure): BsonDoc {
  return new BsonDoc(['operatorName', 'specifiedAs'], [keyword, new BsonDoc([keyword], [argument])]);
}

function plainDetail(failure: Failure): BsonDoc {
  const { keyword, value } = failure;
  const detail = specified(failure)
    .append('reason', REASONS[keyword] ?? 'comparison failed')
    .append('consideredValue', decodeRef(value));
  if (keyword === 'type' || keyword === 'bsonType')
    detail.append('consideredType', TYPE_NAMES.get(value.type) ?? 'unknown');
  return detail;
}

function named(operatorName: string, field: string, parts: BsonValue): BsonDoc {
  return new BsonDoc(['operatorName', field], [operatorName, parts]);
}

function fieldsOf(value: RawRef): { name: string; value: RawRef }[] {
  return value.type === T.object || value.type === T.array ? elementsOf(value) : [];
}

/** Copies the title and description of a schema into its details. */
function withNotes(schema: BsonDoc, doc: BsonDoc): BsonDoc {
  for (const note of ['title', 'description']) {
    const text = schema.get(note);
    if (text !== undefined) doc.append(note, text);
  }
  return doc;
}

function properties({ keyword, argument, value }: Failure): BsonDoc {
  const broken = fieldsOf(value).flatMap(({ name, value: ref }) => {
    const schema = isDoc(argument) ? argument.get(name) : undefined;
    const details = isDoc(schema) ? schemaDetails(schema, ref) : [];
    if (!isDoc(schema) || details.length === 0) return [];
    return [withNotes(schema, new BsonDoc(['propertyName'], [name])).append('details', details)];
  });
  return named(keyword, 'propertiesNotSatisfied', broken);
}

function patternProperties({ keyword, argument, value }: Failure): BsonDoc {
  const broken = fieldsOf(value).flatMap(({ name, value: ref }) =>
    (isDoc(argument) ? [...argument] : []).flatMap(([pattern, schema]) => {
      if (!isDoc(schema) || !compileRegex(pattern, '').test(name)) return [];
      const details = schemaDetails(schema, ref);
      const entry = new BsonDoc(['propertyName', 'regexMatched', 'details'], [name, pattern, details]);
      return details.length === 0 ? [] : [entry];
    }),
  );
  return named(keyword, 'details', broken);
}

function required(failure: Failure): BsonDoc {
  const present = new Set(fieldsOf(failure.value).map(({ name }) => name));
  const { argument } = failure;
  const missing = (Array.isArray(argument) ? argument : []).filter(
    (name) => typeof name === 'string' && !present.has(name),
  );
  return specified(failure).append('missingProperties', missing);
}

function additionalProperties(failure: Failure): BsonDoc {
  const { schema, value } = failure;
  const known = schema.get('properties');
  const patterns = schema.get('patternProperties');
  const names = fieldsOf(value)
    .map(({ name }) => name)
    .filter((name) => !(isDoc(known) && known.has(name)))
    .filter((name) => !(isDoc(patterns) && patterns.keys.some((pattern) => compileRegex(pattern, '').test(name))));
  return specified(failure).append('additionalProperties', names);
}

function items({ keyword, argument, value }: Failure): BsonDoc {
  for (const [index, { value: ref }] of fieldsOf(value).entries()) {
    const schema = Array.isArray(argument) ? argument[index] : argument;
    const details = isDoc(schema) ? schemaDetails(schema, ref) : [];
    if (details.length === 0) continue;
    return named(keyword, 'reason', 'At least one item did not match the sub-schema')
      .append('itemIndex', new Int32(index))
      .append('details', details);
  }
  return named(keyword, 'reason', 'found additional items');
}

function combination({ keyword, argument, value }: Failure): BsonDoc {
  const schemas = (Array.isArray(argument) ? argument : []).filter(isDoc);
  const results = schemas.map((schema) => ({ schema, holds: compileSchema(schema)(value) }));
  const matching = results.flatMap(({ holds }, index) => (holds ? [index] : []));
  if (keyword === 'oneOf' && matching.length > 1)
    return named(keyword, 'reason', 'more than one subschema matched').append(
      'matchingSchemaIndexes',
      matching.map((index) => new Int32(index)),
    );
  const broken = results.flatMap(({ schema, holds }, index) =>
    holds ? [] : [withNotes(schema, BsonDoc.of({ index })).append('details', schemaDetails(schema, value))],
  );
  return named(keyword, 'schemasNotSatisfied', broken);
}

function dependencies({ keyword, argument, value }: Failure): BsonDoc {
  const present = new Set(fieldsOf(value).map(({ name }) => name));
  const broken = (isDoc(argument) ? [...argument] : []).flatMap(([conditionalProperty, rule]) => {
    if (!present.has(conditionalProperty)) return [];
    if (isDoc(rule)) {
      const details = schemaDetails(rule, value);
      return details.length === 0 ? [] : [BsonDoc.of({ conditionalProperty }).append('details', details)];
    }
    const missing = (Array.isArray(rule) ? rule : []).filter((name) => !present.has(String(name)));
    return missing.length === 0 ? [] : [BsonDoc.of({ conditionalProperty }).append('missingProperties', missing)];
  });
  return named(keyword, 'failingDependencies', broken);
}

const DESCRIBERS: Readonly<Record<string, (failure: Failure) => BsonDoc>> = {
  properties,
  patternProperties,
  required,
  additionalProperties,
  items,
  additionalItems: (failure) => specified(failure).append('reason', 'found additional items'),
  allOf: combination,
  anyOf: combination,
  oneOf: combination,
  not: ({ keyword }) => named(keyword, 'reason', 'child expression matched'),
  dependencies,
};

/** Explains why a document breaks a validator, in the shape of MongoDB's `errInfo.details`. */
export function validationDetails(validator: BsonDoc, raw: Buffer, expressions: MatchExpressions): BsonDoc {
  const clauses = [...validator].map(([key, value]) => new BsonDoc([key], [value]));
  const broken = clauses.filter((clause) => !compileMatcher(clause, expressions).matches(raw));
  const [only] = broken;
  if (clauses.length === 1 && only) return clauseDetails(only, raw, expressions);
  return new BsonDoc(
    ['operatorName', 'clausesNotSatisfied'],
    ['$and', numbered(clauses, broken, (clause) => clauseDetails(clause, raw, expressions))],
  );
}

function numbered(
  clauses: readonly BsonDoc[],
  broken: readonly BsonDoc[],
  detailsOf: (clause: BsonDoc) => BsonDoc,
): BsonDoc[] {
  return clauses.flatMap((clause, index) =>
    broken.includes(clause) ? [new BsonDoc(['index', 'details'], [new Int32(index), detailsOf(clause)])] : [],
  );
}

function clauseDetails(clause: BsonDoc, raw: Buffer, expressions: MatchExpressions): BsonDoc {
  const [key = '', value = null] = [clause.keys[0], clause.values[0]];
  if (key === '$jsonSchema' && isDoc(value)) return schemaClause(value, raw);
  if (key === '$and' || key === '$or' || key === '$nor') return listClause(key, value, raw, expressions);
  if (key === '$expr')
    return new BsonDoc(
      ['operatorName', 'specifiedAs', 'reason', 'expressionResult'],
      ['$expr', clause, 'expression did not match', false],
    );
  return fieldClause(key, value, clause, raw, expressions);
}

function schemaClause(schema: BsonDoc, raw: Buffer): BsonDoc {
  const details = withNotes(schema, new BsonDoc(['operatorName'], ['$jsonSchema']));
  return details.append('schemaRulesNotSatisfied', schemaDetails(schema, RawRef.document(raw)));
}

function listClause(key: string, value: BsonValue, raw: Buffer, expressions: MatchExpressions): BsonDoc {
  const clauses = (Array.isArray(value) ? value : []).filter(isDoc);
  const wanted = key !== '$nor';
  const broken = clauses.filter((clause) => compileMatcher(clause, expressions).matches(raw) !== wanted);
  const field = wanted ? 'clausesNotSatisfied' : 'clausesSatisfied';
  const detailsOf = (clause: BsonDoc): BsonDoc =>
    wanted ? validationDetails(clause, raw, expressions) : new BsonDoc(['specifiedAs'], [clause]);
  return new BsonDoc(['operatorName', field], [key, numbered(clauses, broken, detailsOf)]);
}

function fieldClause(
  path: string,
  value: BsonValue,
  clause: BsonDoc,
  raw: Buffer,
  expressions: MatchExpressions,
): BsonDoc {
  const operators = isOperatorDoc(value) ? [...value] : [];
  const failing = operators.find(([operator, argument]) => {
    if (operator === '$options') return false;
    const own = new BsonDoc([operator], [argument]);
    const options = operator === '$regex' && isDoc(value) ? value.get('$options') : undefined;
    if (options !== undefined) own.append('$options', options);
    return !compileMatcher(new BsonDoc([path], [own]), expressions).matches(raw);
  });
  const found = findPath(raw, path);
  const details = new BsonDoc(
    ['operatorName', 'specifiedAs', 'reason'],
    [failing?.[0] ?? '$eq', clause, found ? 'comparison failed' : 'field was missing'],
  );
  return found ? details.append('consideredValue', decodeRef(found)) : details;
}
