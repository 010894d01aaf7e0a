import { readFileSync } from 'node:fs';
import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
} from 'graphql';
import { repositoryFile } from '../../app/repository.js';
import type { Question } from './rest-questions.js';
import type { DisclosedWorld } from './world.js';

// A query for each field of each object type that the graph's root reaches, from the committed supergraph: the shortest way
// to the type, then the field with all its leaves.

interface Graph {
  readonly objects: ReadonlyMap<string, ObjectTypeDefinitionNode>;
  readonly leaves: ReadonlySet<string>;
}

/** Text of a query around a selection. */
type Way = (selection: string) => string;

const SCALARS = ['String', 'Int', 'Float', 'Boolean', 'ID'];
const isHidden = ({ directives = [] }: { readonly directives?: readonly ConstDirectiveNode[] }): boolean =>
  directives.some(({ name }) => name.value === 'inaccessible');
const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

function readGraph(): Graph {
  const objects = new Map<string, ObjectTypeDefinitionNode>();
  const leaves = new Set(SCALARS);
  for (const definition of parse(readFileSync(repositoryFile('gateway/supergraph.graphql'), 'utf8')).definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) objects.set(definition.name.value, definition);
    if (definition.kind === Kind.SCALAR_TYPE_DEFINITION || definition.kind === Kind.ENUM_TYPE_DEFINITION) {
      leaves.add(definition.name.value);
    }
  }
  return { objects, leaves };
}

/** Arguments as text; null if a required one has no value. */
function argumentsOf(world: DisclosedWorld, field: FieldDefinitionNode, purpose: string | undefined): string | null {
  const { ids, member, marker, tenantId } = world;
  const node = `member:${member}`;
  const ranges = field.name.value === 'graphPaths' ? { from: node, to: `event:${ids['event']}` } : {};
  const values: Readonly<Record<string, unknown>> = {
    ...ranges,
    against: ids['purposeBundle'],
    bundle_id: ids['bundle'],
    care_team_id: ids['carer'],
    checkpoint_id: ids['checkpoint'],
    claim: 'CLM-1',
    claim_id: 'CLM-1',
    code: 'carc:50',
    consent_id: ids['consent'],
    decision_id: ids['decision'],
    delivery_id: ids['delivery'],
    document_id: ids['document'],
    event_id: ids['event'],
    exception_id: ids['exception'],
    ingest_id: ids['ingest'],
    matter_id: ids['matter'],
    member_id: member,
    node,
    npi: '1234567893',
    query: marker,
    redaction_id: ids['redaction'],
    roots: node,
    system: 'carc',
    tenant_id: tenantId,
    value: '50',
    webhook_id: ids['webhook'],
  };
  const given: string[] = [];
  for (const { name, type, defaultValue } of field.arguments ?? []) {
    const value = name.value === 'purpose' && !FILTERS_BY_PURPOSE.has(field.name.value) ? purpose : values[name.value];
    const isRequired = type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined;
    if (name.value === 'limit') given.push('limit: 3');
    else if (name.value in ranges || isRequired || name.value === 'purpose') {
      if (value !== undefined) given.push(`${name.value}: ${JSON.stringify(value)}`);
      else if (isRequired) return null;
    }
  }
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

const FILTERS_BY_PURPOSE = new Set(['consents', 'signingKeys']);

interface Asked {
  readonly questions: readonly Question[];
  /** Root fields without a value for a required argument. */
  readonly unasked: readonly string[];
}

/** @param purpose states this purpose, and asks only the root fields that take one */
export function graphQuestions(world: DisclosedWorld, purpose?: string): Asked {
  const { objects, leaves } = readGraph();
  const questions: Question[] = [];
  const unasked: string[] = [];
  const seen = new Set(['Query']);
  const open: { readonly type: string; readonly way: Way; readonly trail: string }[] = [
    { type: 'Query', way: (inner) => `{ ${inner} }`, trail: '' },
  ];
  const leavesOf = (type: string): string =>
    (objects.get(type)?.fields ?? [])
      .filter(
        (field) => !isHidden(field) && leaves.has(nameOf(field.type)) && argumentsOf(world, field, purpose) === '',
      )
      .map(({ name }) => name.value)
      .join(' ') || '__typename';
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    const { way, trail, type } = at;
    for (const field of rootOrder(objects.get(type), type, purpose)) {
      const target = nameOf(field.type);
      const given = argumentsOf(world, field, purpose);
      if (given === null) {
        if (type === 'Query') unasked.push(field.name.value);
        continue;
      }
      if (leaves.has(target) && type !== 'Query') continue;
      const head = `${field.name.value}${given}`;
      const query = way(leaves.has(target) ? head : `${head} { ${leavesOf(target)} }`);
      const name = `graph ${trail}${field.name.value}`;
      const byWord = query.includes(world.marker);
      questions.push({ name, path: '/graphql', method: 'POST', body: { query }, byWord });
      if (leaves.has(target) || seen.has(target)) continue;
      seen.add(target);
      open.push({ type: target, way: (inner) => way(`${head} { ${inner} }`), trail: `${trail}${field.name.value}.` });
    }
  }
  return { questions, unasked };
}

/** The fields of a type; of the root first those that name one record, so that types are reached with content. */
function rootOrder(
  type: ObjectTypeDefinitionNode | undefined,
  name: string,
  purpose: string | undefined,
): readonly FieldDefinitionNode[] {
  const fields = (type?.fields ?? []).filter((field) => !isHidden(field));
  if (name !== 'Query') return fields;
  const takes = (field: FieldDefinitionNode, argument: string): boolean =>
    (field.arguments ?? []).some((one) => one.name.value === argument);
  const wanted =
    purpose === undefined
      ? fields
      : fields.filter((field) => takes(field, 'purpose') && !FILTERS_BY_PURPOSE.has(field.name.value));
  const rank = (field: FieldDefinitionNode): number =>
    ['event_id', 'document_id', 'member_id', 'claim', 'query'].some((argument) => takes(field, argument)) ? 0 : 1;
  return [...wanted].sort((a, b) => rank(a) - rank(b));
}
