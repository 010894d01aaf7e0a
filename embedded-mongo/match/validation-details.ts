import { Int32 } from 'bson';
import { decodeRef } from '../bson/decode.js';
import { findPath, RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';
import { BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { compileMatcher, type MatchExpressions } from './matcher.js';
import { isOperatorDoc } from './parse.js';
import { schemaDetails } from './schema-details.js';

/** Why a document breaks a validator, in the shape of MongoDB's `errInfo.details`. */
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
  if (key === '$expr') {
    return new BsonDoc(
      ['operatorName', 'specifiedAs', 'reason', 'expressionResult'],
      ['$expr', clause, 'expression did not match', false],
    );
  }
  return fieldClause(key, value, clause, raw, expressions);
}

function schemaClause(schema: BsonDoc, raw: Buffer): BsonDoc {
  const root = new RawRef();
  root.point(raw, T.object, 0, raw.length);
  const details = new BsonDoc(['operatorName'], ['$jsonSchema']);
  for (const note of ['title', 'description']) {
    const text = schema.get(note);
    if (text !== undefined) details.append(note, text);
  }
  return details.append('schemaRulesNotSatisfied', schemaDetails(schema, root));
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
