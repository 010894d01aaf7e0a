import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isObjectType,
  isOutputType,
  Kind,
  specifiedScalarTypes,
} from 'graphql';
import { contractExtensionOf } from '../contract-field.js';

// The interfaces of the graph. A type implements an interface if it has its fields, with the same types: nothing is
// declared at a type. `id` is derived from the key of an entity, or from the first field of another record.

type InterfaceName = 'Node' | 'LedgerEntry' | 'Record';
type FieldForm = readonly [name: string, type: string, description: string];

interface InterfaceForm {
  readonly description: string;
  readonly fields: readonly FieldForm[];
}

const ID_FIELD: FieldForm = [
  'id',
  'ID!',
  'Identifier of the object within its tenant. Example: `evt_01JQ0000000000000000000001`.',
];
const TENANT_FIELD: FieldForm = ['tenant_id', 'String!', 'Tenant. Example: `acme`.'];

const INTERFACES: Readonly<Record<InterfaceName, InterfaceForm>> = {
  Node: { description: 'An object with an identifier. `__typename` is its type.', fields: [ID_FIELD] },
  LedgerEntry: {
    description: 'An entry that the ledger sealed: its hash covers the hash of the entry before it in the chain.',
    fields: [
      ID_FIELD,
      TENANT_FIELD,
      ['sequence', 'SafeInteger!', 'Place in its chain, from 1. Example: `1`.'],
      ['recorded_at', 'DateTime!', 'Time at which the ledger recorded it. Example: `2026-03-02T14:11:10.004Z`.'],
      ['prev_hash', 'String!', 'Hash of the previous entry of the chain, hexadecimal.'],
      ['entry_hash', 'String!', 'Hash of this entry, hexadecimal.'],
    ],
  },
  Record: {
    description:
      'A record with a life: each step of it makes a revision, and the ledger seals the facts of each revision.',
    fields: [
      ID_FIELD,
      TENANT_FIELD,
      ['revision', 'Int!', 'Number of the current revision. Example: `1`.'],
      ['created_at', 'DateTime!', 'Time of creation. Example: `2026-03-02T14:11:10.004Z`.'],
      ['updated_at', 'DateTime!', 'Time of the last change. Example: `2026-03-02T14:11:10.004Z`.'],
      ['allowed_actions', '[String!]!', 'Actions allowed now. Example: `["update"]`.'],
    ],
  },
};
const [ID] = ID_FIELD;
const DERIVED = ['LedgerEntry', 'Record'] as const;

/** Callers choose the keys of these types: the prefix keeps their identifiers apart from those of other types. */
const PREFIX_OF_TYPE: Readonly<Record<string, string>> = {
  Claim: 'claim',
  Code: 'code',
  Member: 'member',
  Provider: 'provider',
};
/** An entity of the composition of timelines alone: the member is `Member`. */
const WITHOUT_ID: readonly string[] = ['TimelineMember'];

type Field = GraphQLField<unknown, unknown>;
type TypeOf = (name: string) => GraphQLNamedType | undefined;

/** What a type implements, and its `id`. */
interface Identified {
  readonly interfaces: readonly InterfaceName[];
  readonly id: GraphQLFieldConfig<unknown, unknown>;
}

/** The interfaces of one schema, and the types that implement them. */
export class Interfaces {
  readonly #identified = new Map<string, Identified>();
  readonly #made = new Map<InterfaceName, GraphQLInterfaceType>();

  /**
   * @param shownType returns the type of a field in the graph
   * @param typeOf finds a type of the new schema
   */
  constructor(plain: GraphQLSchema, shownType: (field: Field) => GraphQLOutputType, typeOf: TypeOf) {
    for (const type of Object.values(plain.getTypeMap()).filter(isObjectType)) {
      const identified = identify(type, shownType);
      if (identified !== null) this.#identified.set(type.name, identified);
    }
    const used = new Set([...this.#identified.values()].flatMap(({ interfaces }) => interfaces));
    for (const name of used) this.#made.set(name, this.#interfaceOf(name, typeOf));
  }

  types(): readonly GraphQLInterfaceType[] {
    return [...this.#made.values()];
  }

  /** The interfaces that a type implements. */
  of(type: GraphQLObjectType): GraphQLInterfaceType[] {
    return this.#named(this.#identified.get(type.name)?.interfaces ?? []);
  }

  /** The field `id` of a type that has one. */
  idOf(type: GraphQLObjectType): Readonly<Record<string, GraphQLFieldConfig<unknown, unknown>>> {
    const identified = this.#identified.get(type.name);
    return identified === undefined ? {} : { [ID]: identified.id };
  }

  #named(names: readonly InterfaceName[]): GraphQLInterfaceType[] {
    return names.flatMap((name) => this.#made.get(name) ?? []);
  }

  #interfaceOf(name: InterfaceName, typeOf: TypeOf): GraphQLInterfaceType {
    const { description, fields } = INTERFACES[name];
    return new GraphQLInterfaceType({
      name,
      description,
      interfaces: () => (name === 'Node' ? [] : this.#named(['Node'])),
      fields: () =>
        Object.fromEntries(
          fields.map(([field, type, text]) => [field, { type: named(type, typeOf), description: text }]),
        ),
    });
  }
}

/** Returns the type of a notation such as `[String!]!`. @throws Error for a name that the schema does not have */
function named(type: string, typeOf: TypeOf): GraphQLOutputType {
  if (type.endsWith('!')) return new GraphQLNonNull(named(type.slice(0, -1), typeOf));
  if (type.startsWith('[')) return new GraphQLList(named(type.slice(1, -1), typeOf));
  const found = specifiedScalarTypes.find(({ name }) => name === type) ?? typeOf(type);
  if (isOutputType(found)) return found;
  throw new Error(`an interface needs the type ${type}`);
}

function identify(type: GraphQLObjectType, shownType: (field: Field) => GraphQLOutputType): Identified | null {
  const fields = type.getFields();
  if (fields[ID] !== undefined || WITHOUT_ID.includes(type.name)) return null;
  const has = ([name, shown]: FieldForm): boolean => {
    const field = fields[name];
    return name === ID || (field !== undefined && String(shownType(field)) === shown);
  };
  const derived = DERIVED.filter((name) => INTERFACES[name].fields.every(has));
  const key = keyOf(type);
  if (derived.length === 0 && key === null) return null;
  return { interfaces: ['Node', ...derived], id: idField(type.name, key ?? [firstFieldOf(type)], key !== null) };
}

/** The fields of the key of an entity. */
function keyOf({ astNode }: GraphQLObjectType): readonly string[] | null {
  const key = astNode?.directives?.find(({ name }) => name.value === 'key');
  const fields = key?.arguments?.find(({ name }) => name.value === 'fields')?.value;
  return fields?.kind === Kind.STRING ? fields.value.split(' ') : null;
}

/** A record states its identifier first. @throws Error for a record that does not */
function firstFieldOf(type: GraphQLObjectType): string {
  const [first] = Object.values(type.getFields());
  const example = first && contractExtensionOf(first)?.example;
  if (first?.name.endsWith('_id') && typeof example === 'string') return first.name;
  throw new Error(`${type.name} implements an interface: its first field must be its identifier, with an example`);
}

/** @param isEntity several subgraphs define an entity, and each can say its `id` */
function idField(type: string, fields: readonly string[], isEntity: boolean): GraphQLFieldConfig<unknown, unknown> {
  const [, , description] = ID_FIELD;
  const prefix = PREFIX_OF_TYPE[type];
  const resolve = (source: unknown): string => {
    // The source is an object of the type, which has the fields.
    const object = source as Readonly<Record<string, unknown>>;
    const value = fields.map((name) => String(object[name])).join('/');
    return prefix === undefined ? value : `${prefix}:${value}`;
  };
  return { type: new GraphQLNonNull(GraphQLID), description, resolve, ...(isEntity ? { astNode: SHAREABLE_ID } : {}) };
}

const SHAREABLE: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'shareable' } };

/** Holds the directive of an `id`, as the nodes of other fields hold theirs. */
const SHAREABLE_ID: FieldDefinitionNode = {
  kind: Kind.FIELD_DEFINITION,
  name: { kind: Kind.NAME, value: ID },
  type: { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'ID' } } },
  directives: [SHAREABLE],
};
