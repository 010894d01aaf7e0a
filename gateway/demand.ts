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
/** Fields that read far more than they answer: root fields by their name, others with their type. */
const HEAVY_COST: Readonly<Record<string, number>> = {
  verifyLedger: 5_000,
  verifyLedgerPart: 5_000,
  verifyCustody: 5_000,
  searchEvents: 500,
  appealedDenials: 2_000,
  denialSummary: 2_000,
  unmatchedRemittances: 4_000,
  claimConversation: 1_000,
  memberNeighborhood: 1_000,
  aiDecisionAggregate: 500,
  exceptionAggregate: 500,
  webhookDeliveryAggregate: 500,
  eventAggregate: 2_000,
  eventConnection: 200,
  provider: 20,
  claim: 20,
  code: 20,
  'EventConnection.totalCount': 500,
  'EventRecord.proof': 20,
  'EventRecord.custody': 5,
  'Member.claims': 20,
  'Provider.denials': 20,
  'Claim.events': 20,
  'Claim.remittances': 20,
  'Code.denials': 20,
  'Member.timeline': 100,
};
/** Lists of a page; other lists have an assumed length. */
const PAGE_LISTS: readonly string[] = ['items', 'nodes', 'edges'];

type Variables = Readonly<Record<string, unknown>>;

/**
 * Returns the cost of an operation, which has been validated.
 *
 * @throws GraphQLError naming the limit and the cost of each root field
 */
export function enforceDemand(schema: GraphQLSchema, operation: PreparedOperation, variables: Variables): number {
  const root = schema.getRootType(operation.operation.operation);
  if (!root) return 0;
  const demand = new Demand(schema, operation, variables);
  const cost = demand.ofSelections(operation.operation.selectionSet, root, 1);
  if (cost <= DEMAND_LIMITS.cost) return cost;
  const parts = demand.rootCosts.map(({ name, cost: part }) => `${name} ${part}`).join(', ');
  throw new GraphQLError(
    `The query would cost ${cost}; the limit is ${DEMAND_LIMITS.cost}. Cost by field: ${parts}. Ask for fewer fields or shorter pages.`,
  );
}

class Demand {
  readonly #schema: GraphQLSchema;
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** By the name in the answer, in the order of the query. */
  readonly rootCosts: { readonly name: string; readonly cost: number }[] = [];

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
        const part = this.#ofField(selection, parent, length);
        if (this.#isRoot(parent)) this.rootCosts.push({ name: (selection.alias ?? selection.name).value, cost: part });
        cost += part;
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
    const own = this.#ownCost(field.name, parent);
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(type)) return own;
    const limit = this.#limitOf(node, field);
    const times = isListOf(field) ? (PAGE_LISTS.includes(field.name) ? pageLength : ASSUMED_LIST_LENGTH) : 1;
    return own + times * this.ofSelections(node.selectionSet, type, limit ?? ASSUMED_LIST_LENGTH);
  }

  #ownCost(name: string, parent: GraphQLNamedType): number {
    if (this.#isRoot(parent)) return HEAVY_COST[name] ?? ROOT_COST;
    return HEAVY_COST[`${parent.name}.${name}`] ?? 1;
  }

  #isRoot(type: GraphQLNamedType): boolean {
    return type === this.#schema.getQueryType() || type === this.#schema.getMutationType();
  }

  /** The requested length of a page; undefined for a field that is not a page. */
  #limitOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
    const name = getNamedType(field.type).name.endsWith('Connection') ? 'first' : 'limit';
    if (!field.args.some((argument) => argument.name === name)) return undefined;
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
    const limit =
      given?.kind === Kind.VARIABLE
        ? this.#variables[given.name.value]
        : given?.kind === Kind.INT
          ? Number(given.value)
          : undefined;
    if (typeof limit !== 'number') {
      throw new GraphQLError(
        `${field.name} needs ${name === 'limit' ? 'a limit' : name} (at most ${DEMAND_LIMITS.page}).`,
        { nodes: node },
      );
    }
    if (limit > DEMAND_LIMITS.page) {
      throw new GraphQLError(
        `${field.name} takes ${name === 'limit' ? 'a limit' : name} of at most ${DEMAND_LIMITS.page} here.`,
        { nodes: node },
      );
    }
    return Math.max(1, limit);
  }
}

const isListOf = ({ type }: GraphQLField<unknown, unknown>): boolean =>
  isListType(isNonNullType(type) ? type.ofType : type);
