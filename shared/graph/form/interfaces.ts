import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type InterfaceTypeDefinitionNode,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
} from 'graphql';
import { contractExtensionOf } from '../contract-field.js';
import type { FieldResolver } from '../guard-arguments.js';

// The interfaces of the graph. A type implements an interface if it has its fields, with the same types: nothing is
// declared at a type. `id` is derived from the key of an entity, or from the first field of another record.

const ID_FIELD = `
  """Identifier of the object within its tenant. Example: \`evt_01JQ0000000000000000000001\`."""
  id: ID!`;

const RECORD_FIELDS = `${ID_FIELD}
  """Tenant. Example: \`acme\`."""
  tenant_id: String!`;

const INTERFACES = parse(
  `
"""An object with an identifier. \`__typename\` is its type."""
interface Node {${ID_FIELD}
}

"""An entry that the ledger sealed: its hash covers the hash of the entry before it in the chain."""
interface LedgerEntry implements Node {${RECORD_FIELDS}
  """Place in its chain, from 1. Example: \`1\`."""
  sequence: SafeInteger!
  """Time at which the ledger recorded it. Example: \`2026-03-02T14:11:10.004Z\`."""
  recorded_at: DateTime!
  """Hash of the previous entry of the chain, hexadecimal."""
  prev_hash: String!
  """Hash of this entry, hexadecimal."""
  entry_hash: String!
}

"""A record with a life: each step of it makes a revision, and the ledger seals the facts of each revision."""
interface Record implements Node {${RECORD_FIELDS}
  """Number of the current revision. Example: \`1\`."""
  revision: Int!
  """Time of creation. Example: \`2026-03-02T14:11:10.004Z\`."""
  created_at: DateTime!
  """Time of the last change. Example: \`2026-03-02T14:11:10.004Z\`."""
  updated_at: DateTime!
  """Actions allowed now. Example: \`["update"]\`."""
  allowed_actions: [String!]!
}
`,
  { noLocation: true },
).definitions.filter((one) => one.kind === Kind.INTERFACE_TYPE_DEFINITION);

const ID = 'id';
const [NODE] = INTERFACES;
const OTHERS = INTERFACES.filter((one) => one !== NODE);

/** Types whose key is a caller's own: the prefix keeps their identifiers apart from those of other types. */
const PREFIX_OF_TYPE: Readonly<Record<string, string>> = {
  Claim: 'claim',
  Code: 'code',
  Member: 'member',
  Provider: 'provider',
};
/** An entity of the composition of timelines alone: the member is `Member`. */
const WITHOUT_ID: readonly string[] = ['TimelineMember'];

/** Names of the fields that make the identifier of a type, by type. */
export type IdFields = ReadonlyMap<string, readonly string[]>;

interface WithInterfaces {
  readonly document: DocumentNode;
  readonly idFields: IdFields;
}

/** Adds the interfaces that types of a schema implement, and `id` to these types. */
export function withInterfaces(document: DocumentNode, schema: GraphQLSchema): WithInterfaces {
  const idFields = new Map<string, readonly string[]>();
  const used = new Set<InterfaceTypeDefinitionNode>();
  const definitions = document.definitions.map((definition): DefinitionNode => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return definition;
    const implemented = OTHERS.filter((one) => hasFieldsOf(definition, one));
    const key = keyOf(definition);
    if (implemented.length === 0 && key === null) return definition;
    const names = key ?? [firstFieldOf(definition, schema)];
    if (definition.fields?.some(({ name }) => name.value === ID) || WITHOUT_ID.includes(definition.name.value)) {
      return definition;
    }
    idFields.set(definition.name.value, names);
    const interfaces = [...(NODE === undefined ? [] : [NODE]), ...implemented];
    for (const one of interfaces) used.add(one);
    return implementing(definition, interfaces, key !== null);
  });
  return { document: { ...document, definitions: [...definitions, ...used] }, idFields };
}

/** Makes the resolver of `id` for a type. */
export function idResolver(type: string, fields: readonly string[]): FieldResolver {
  const prefix = PREFIX_OF_TYPE[type];
  return (source): string => {
    // The source is an object of the type, which has the fields.
    const object = source as Readonly<Record<string, unknown>>;
    const value = fields.map((name) => String(object[name])).join('/');
    return prefix === undefined ? value : `${prefix}:${value}`;
  };
}

function hasFieldsOf({ fields = [] }: ObjectTypeDefinitionNode, type: InterfaceTypeDefinitionNode): boolean {
  const types = new Map(fields.map((field) => [field.name.value, print(field.type)]));
  const required = (type.fields ?? []).filter(({ name }) => name.value !== ID);
  return required.every((field) => types.get(field.name.value) === print(field.type));
}

/** The fields of the key of an entity. */
function keyOf({ directives = [] }: ObjectTypeDefinitionNode): readonly string[] | null {
  const key = directives.find(({ name }) => name.value === 'key');
  const fields = key?.arguments?.find(({ name }) => name.value === 'fields')?.value;
  return fields?.kind === Kind.STRING ? fields.value.split(' ') : null;
}

/** A record states its identifier first. @throws Error for a record that does not */
function firstFieldOf({ name }: ObjectTypeDefinitionNode, schema: GraphQLSchema): string {
  const type = schema.getType(name.value);
  const [first] = isObjectType(type) ? Object.values(type.getFields()) : [];
  const example = first && contractExtensionOf(first)?.example;
  if (first?.name.endsWith('_id') && typeof example === 'string') return first.name;
  throw new Error(`${name.value} implements an interface: its first field must be its identifier, with an example`);
}

/** @param isEntity several subgraphs define an entity, and each can say its `id` */
function implementing(
  type: ObjectTypeDefinitionNode,
  interfaces: readonly InterfaceTypeDefinitionNode[],
  isEntity: boolean,
): ObjectTypeDefinitionNode {
  const id = NODE?.fields?.map((field): FieldDefinitionNode => (isEntity ? shareable(field) : field)) ?? [];
  return {
    ...type,
    interfaces: interfaces.map(({ name }) => ({ kind: Kind.NAMED_TYPE, name })),
    fields: [...id, ...(type.fields ?? [])],
  };
}

const shareable = (field: FieldDefinitionNode): FieldDefinitionNode => ({
  ...field,
  directives: [{ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'shareable' } }],
});
