import {
  type BreakingChange,
  BreakingChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

// The changes between two schemas of the graph, as graphql-js finds them. An addition is what would be removed on the
// way back.

type Effect = 'BREAKING' | 'DANGEROUS' | 'RETIRED' | 'ADDED';

interface GraphChange {
  /**
   * BREAKING: queries fail. DANGEROUS: queries may fail. RETIRED: removed after a deprecation. ADDED: queries do not notice.
   */
  readonly effect: Effect;
  readonly text: string;
}

const ADDED_BACKWARDS: ReadonlySet<string> = new Set([
  BreakingChangeType.TYPE_REMOVED,
  BreakingChangeType.FIELD_REMOVED,
  BreakingChangeType.ARG_REMOVED,
  BreakingChangeType.VALUE_REMOVED_FROM_ENUM,
  BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED,
]);

/** Lists the changes from one schema to the next, those that break queries first. */
export function graphChanges(before: GraphQLSchema, after: GraphQLSchema): readonly GraphChange[] {
  const retired = deprecatedIn(before);
  const isRetired = ({ type, description }: BreakingChange): boolean =>
    type === BreakingChangeType.FIELD_REMOVED && retired.some((field) => description.startsWith(`${field} `));
  const broken = findBreakingChanges(before, after);
  const dangerous = findDangerousChanges(before, after);
  const back = findBreakingChanges(after, before).filter(({ type }) => ADDED_BACKWARDS.has(type));
  const change =
    (effect: Effect) =>
    ({ description }: { readonly description: string }): GraphChange => ({ effect, text: description });
  return [
    ...broken.filter((one) => !isRetired(one)).map(change('BREAKING')),
    ...dangerous.map(change('DANGEROUS')),
    ...broken.filter(isRetired).map(change('RETIRED')),
    ...back.map(({ description }) =>
      change('ADDED')({ description: description.replace('removed from', 'added to').replace('removed', 'added') }),
    ),
  ];
}

/** The deprecated fields of a schema, as `Type.field`. */
function deprecatedIn(schema: GraphQLSchema): readonly string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, deprecationReason }) =>
      deprecationReason == null ? [] : [`${type.name}.${name}`],
    );
  });
}
