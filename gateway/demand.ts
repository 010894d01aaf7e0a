import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { PreparedOperation } from './operations.js';

// Limits what a caller's own query may ask for, before it runs. Each field has a cost. A field below a list
// costs as often as the list is long.

const DEMAND_LIMITS = {
  cost: 20_000,
  /** Longest page. A page without a limit is rejected, so that no query fetches more than it states. */
  page: 200,
} as const;

/** Assumed length of a list without a limit, such as the breaks of a chain. */
const ASSUMED_LIST_LENGTH = 10;
/** A root field is a question to a database. */
const ROOT_COST = 10;
/** Root fields that read far more than they answer. */
const HEAVY_ROOT_COST: Readonly<Record<string, number>> = {
  verifyLedger: 5_000,
  verifyLedgerPart: 5_000,
  verifyCustody: 5_000,
  searchEvents: 500,
  appealedDenials: 2_000,
  denialSummary: 2_000,
  unmatchedRemittances: 4_000,
  claimConversation: 1_000,
  memberNeighborhood: 1_000,
};

type Variables = Readonly<Record<string, unknown>>;

/** @throws GraphQLError naming the limit; `operation` has been validated. */
export function enforceDemand(schema: GraphQLSchema, operation: PreparedOperation, variables: Variables): void {
  const root = schema.getRootType(operation.operation.operation);
  if (!root) return;
  const cost = new Demand(schema, operation, variables).ofSelections(operation.operation.selectionSet, root, 1);
  if (cost <= DEMAND_LIMITS.cost) return;
  throw new GraphQLError(
    `The query would cost ${cost}; the limit is ${DEMAND_LIMITS.cost}. Ask for fewer fields or shorter pages.`,
  );
}

class Demand {
  readonly #schema: GraphQLSchema;
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(schema: GraphQLSchema, { document }: PreparedOperation, variables: Variables) {
    this.#schema = schema;
    this.#variables = variables;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  /** @param length of the page that the nearest list of items below is: a page's own field says it. */
  ofSelections(set: SelectionSetNode, parent: GraphQLNamedType, length: number): number {
    let cost = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        cost += this.#ofField(selection, parent, length);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
      const condition = fragment?.typeCondition?.name.value;
      const type = condition === undefined ? parent : this.#schema.getType(condition);
      if (fragment && type) cost += this.ofSelections(fragment.selectionSet, type, length);
    }
    return cost;
  }

  #ofField(node: FieldNode, parent: GraphQLNamedType, pageLength: number): number {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    // Introspection is bounded by the rules of validation, and reads nothing.
    if (!field) return 0;
    const own = this.#isRoot(parent) ? (HEAVY_ROOT_COST[field.name] ?? ROOT_COST) : 1;
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(type)) return own;
    const limit = this.#limitOf(node, field);
    const times = isListOf(field) ? (field.name === 'items' ? pageLength : ASSUMED_LIST_LENGTH) : 1;
    return own + times * this.ofSelections(node.selectionSet, type, limit ?? ASSUMED_LIST_LENGTH);
  }

  #isRoot(type: GraphQLNamedType): boolean {
    return type === this.#schema.getQueryType() || type === this.#schema.getMutationType();
  }

  /** The requested length of a page; undefined for a field that is not a page. */
  #limitOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
    if (!field.args.some((argument) => argument.name === 'limit')) return undefined;
    const given = node.arguments?.find((argument) => argument.name.value === 'limit')?.value;
    const limit =
      given?.kind === Kind.VARIABLE
        ? this.#variables[given.name.value]
        : given?.kind === Kind.INT
          ? Number(given.value)
          : undefined;
    if (typeof limit !== 'number') {
      throw new GraphQLError(`${field.name} needs a limit (at most ${DEMAND_LIMITS.page}).`, { nodes: node });
    }
    if (limit > DEMAND_LIMITS.page) {
      throw new GraphQLError(`${field.name} takes a limit of at most ${DEMAND_LIMITS.page} here.`, { nodes: node });
    }
    return Math.max(1, limit);
  }
}

const isListOf = ({ type }: GraphQLField<unknown, unknown>): boolean =>
  isListType(isNonNullType(type) ? type.ofType : type);
