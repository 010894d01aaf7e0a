// How a field is added, once for all surfaces.
//
// A record is one type-graphql class with fields declared by `ContractField`. From that line come the graph field,
// the REST check, the OpenAPI entry and (for reads) the selection that REST answers are made of:
//
//   @InputType({ description: 'One event as its source system sends it.' })
//   export class EventEnvelope {
//     @ContractField(() => String, { description: 'Grouping of the event.', example: 'claim', minLength: 1, maxLength: 128 })
//     event_family!: string;
//
//     @ContractField(() => String, { description: 'Member concerned.', optional: true, maxLength: 256 })
//     member_id?: string;
//
//     // JSON on the graph, checked against another class at the edge; that class may be open (`@OpenShape()`).
//     @ContractField(() => JsonScalar, { description: 'Free content.', optional: true, shape: 'EventPayload' })
//     payload?: JsonObject;
//   }
//
//   @ObjectType() export class EventRecord { ... }
//   export const EventPage = pageType('EventPage', () => EventRecord);   // page.ts
//   @ArgsType() export class EventFilter extends PageArgs { ... }        // query parameters of a list: `@Args(() => EventFilter)`
//
// `optional`: may be absent, and is left out of REST answers where it has no value. `nullable`: null is a value and is shown.
// In inputs a member that is merely optional may not be null. Scalars: String, Int, SafeInteger (sequences, sizes), Float,
// Boolean, JsonScalar, enums. Times are String with `format: 'date-time'`,
// which the graph shows as DateTime.
//
// Types that no root field reaches (an envelope that crosses as JSON, a shape) go into the definition's `contractTypes`.
// The door of a subgraph exports `definition: SubgraphDefinition` and builds with `buildGraph` (subgraph.ts):
//
//   export const definition: SubgraphDefinition = { name: 'ledger', resolvers: [EventResolver], contractTypes: [EventEnvelope] };
//   const graph = await buildGraph(definition, { get: (cls) => instances.get(cls) });
//   const faultsOf = graph.contract.validator('EventEnvelope');          // (value) => FieldFault[]
//
// After adding a field run `npm run compose`: it rewrites gateway/supergraph.graphql and rest-facade/contract.json.

// type-graphql asks for the polyfill before its first decorator; every class with fields comes through here.
import 'reflect-metadata';
import { Extensions, Field } from 'type-graphql';
import type { JsonObject, JsonValue } from '../json/strict-json.js';

/** Limits of a value; for a list `items` holds those of its members. Names as in JSON Schema. */
export interface ValueLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'date-time' | 'date' | 'uri';
  readonly minimum?: number;
  readonly maximum?: number;
  /** A closed set of words that is not worth a graph enum. */
  readonly enum?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

export interface ContractExtension extends ValueLimits {
  readonly example?: JsonValue;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly items?: ValueLimits;
  /** Name of the contract type that a JSON value has; an inline schema where no class is worth it. */
  readonly shape?: string | JsonObject;
  /** Scalar of the field in the graph, where `format` does not say it (form/graph-form.ts). The contract stays a text. */
  readonly scalar?: 'Money' | 'NPI';
  /** On the graph only: not in the contract, not in the selections of REST. */
  readonly graphOnly?: boolean;
  /** Class level: an entity to which several subgraphs add fields; on the graph only. */
  readonly parts?: boolean;
  /** Class level: members that are not listed are allowed. */
  readonly open?: boolean;
}

export interface ContractFieldOptions extends ContractExtension {
  readonly description: string;
  readonly deprecationReason?: string;
}

type TypeFunction = Extract<Parameters<typeof Field>[0], (...args: never[]) => unknown>;

/** Prefix of references to contract types in the REST contract and in the OpenAPI document. */
export const SCHEMA_REF_PREFIX = '#/components/schemas/';

/**
 * Shape of a JSON value that is a list of a contract type: for long lists of rows, which gateway and subgraph would
 * otherwise resolve field by field, twice (a batch of 500 receipts costs 15 ms that way).
 */
export const listShape = (typeName: string): JsonObject => ({
  type: 'array',
  items: { $ref: `${SCHEMA_REF_PREFIX}${typeName}` },
});

/** Key of the extension with the limits, example and optionality of a field, an argument or a type. */
export const CONTRACT = 'contract';

export function ContractField(type: TypeFunction, options: ContractFieldOptions): PropertyDecorator & MethodDecorator {
  const { description, deprecationReason, ...extension } = options;
  const field = Field(type, {
    description,
    nullable: options.optional === true || options.nullable === true,
    ...(deprecationReason === undefined ? {} : { deprecationReason }),
  });
  const decorators: readonly Decorator[] = [field, Extensions({ [CONTRACT]: extension })];
  return (prototype: object, key: string | symbol, descriptor?: PropertyDescriptor) => {
    noteField(prototype, String(key), { type, options });
    for (const decorate of decorators) decorate(prototype, key, descriptor);
  };
}

type Decorator = (prototype: object, key: string | symbol, descriptor?: PropertyDescriptor) => void;

/** A field as it was declared. */
export interface DeclaredField {
  readonly type: TypeFunction;
  readonly options: ContractFieldOptions;
}

const declared = new WeakMap<object, Map<string, DeclaredField>>();

/** Notes a field of a class without declaring it on the graph. */
export function noteField(prototype: object, name: string, field: DeclaredField): void {
  const known = declared.get(prototype);
  if (known) known.set(name, field);
  else declared.set(prototype, new Map([[name, field]]));
}

/** The declared fields of a class and of the classes that it extends. */
export function fieldsOf(type: { readonly prototype: object }): ReadonlyMap<string, DeclaredField> {
  const above = Object.getPrototypeOf(type.prototype);
  const inherited = above === null || above === Object.prototype ? [] : fieldsOf({ prototype: above });
  return new Map([...inherited, ...(declared.get(type.prototype) ?? [])]);
}

/** Marks a class that admits further members (a payload). */
export const OpenShape = (): ClassDecorator => Extensions({ [CONTRACT]: { open: true } satisfies ContractExtension });

export const contractExtensionOf = (holder: { readonly extensions: unknown }): ContractExtension | undefined =>
  // Only the decorators of this file write this key.
  (holder.extensions as { readonly [CONTRACT]?: ContractExtension })[CONTRACT];
