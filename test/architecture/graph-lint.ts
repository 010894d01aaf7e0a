import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  type StringValueNode,
  type TypeNode,
} from 'graphql';

// The rules of the graph's schema: every part is described, every argument has an example, and names have one form.

/** What a definition, a field, an argument or a value has. */
interface Part {
  readonly name: NameNode;
  readonly description?: StringValueNode | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

const TYPE_NAME = /^[A-Z][A-Za-z0-9]*$/;
/** Members of records are snake_case; root fields, arguments of connections and their members are camelCase. */
const MEMBER_NAME = /^(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)*|[a-z][A-Za-z0-9]*)$/;
const VALUE_NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

const ROOTS: ReadonlySet<string> = new Set(['Query', 'Mutation']);
/** Types that composition adds. */
const OF_COMPOSITION = /^(?:join|link)__/;
/** Names by value: verdicts and facets have a member for each. */
const NAMED_BY_VALUE: ReadonlySet<string> = new Set(['PreviewedVerdicts']);
/** The description of its type says what it is. */
const DESCRIBED_BY_TYPE = 'input';

/** Returns the faults of a schema, each with its place. */
export function graphFaults({ definitions }: DocumentNode): readonly string[] {
  const own = definitions.filter((one) => !('name' in one && one.name && OF_COMPOSITION.test(one.name.value)));
  const plain = new Set(own.flatMap((one) => (isPlain(one) ? [one.name.value] : [])));
  return own.flatMap((one) => faultsOfType(one, plain));
}

/** The values of an enum and the members of an input are listed, so that an argument needs no example of them. */
const isPlain = (one: DefinitionNode) =>
  one.kind === Kind.ENUM_TYPE_DEFINITION || one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;

function faultsOfType(type: DefinitionNode, plain: ReadonlySet<string>): string[] {
  switch (type.kind) {
    case Kind.ENUM_TYPE_DEFINITION:
      return [
        ...faultsOf(type, '', TYPE_NAME),
        ...(type.values ?? []).flatMap((value: EnumValueDefinitionNode) =>
          faultsOf(value, `${type.name.value}.`, VALUE_NAME),
        ),
      ];
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
      const name = type.name.value;
      const own = ROOTS.has(name) ? [] : faultsOf(type, '', TYPE_NAME);
      return [...own, ...[...(type.fields ?? [])].flatMap((field) => faultsOfField(field, name, plain))];
    }
    case Kind.UNION_TYPE_DEFINITION:
    case Kind.SCALAR_TYPE_DEFINITION:
      return faultsOf(type, '', TYPE_NAME);
    default:
      return [];
  }
}

function faultsOfField(
  field: FieldDefinitionNode | InputValueDefinitionNode,
  type: string,
  plain: ReadonlySet<string>,
): string[] {
  const own = faultsOf(field, `${type}.`, NAMED_BY_VALUE.has(type) ? VALUE_NAME : MEMBER_NAME);
  if (field.kind === Kind.INPUT_VALUE_DEFINITION) return own;
  const described = (field.arguments ?? []).filter(({ name }) => name.value !== DESCRIBED_BY_TYPE);
  const place = `${type}.${field.name.value}: `;
  return [
    ...own,
    ...described.flatMap((one) => [
      ...faultsOf(one, place, MEMBER_NAME),
      ...(isInner(field) || hasExample(one, plain) ? [] : [`${place}${one.name.value} has no example`]),
    ]),
  ];
}

/** Calls between subgraphs are in no client's schema. */
const isInner = ({ directives = [] }: Part): boolean => directives.some(({ name }) => name.value === 'inaccessible');

function hasExample({ type, description }: InputValueDefinitionNode, plain: ReadonlySet<string>): boolean {
  const name = nameOf(type);
  return name === 'Boolean' || plain.has(name) || /Example: `[^`]+`\.$/.test(description?.value ?? '');
}

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

function faultsOf({ name, description, directives = [] }: Part, place: string, form: RegExp): string[] {
  const faults: string[] = [];
  const at = `${place}${name.value}`;
  if (!form.test(name.value)) faults.push(`${at} has another form of name`);
  if (description === undefined || description.value.trim() === '') faults.push(`${at} has no description`);
  else if (!/[.!?]$/.test(description.value.trim())) faults.push(`${at} has a description that is no sentence`);
  const deprecated = directives.find((directive) => directive.name.value === 'deprecated');
  if (deprecated && !(deprecated.arguments ?? []).some((argument) => argument.name.value === 'reason'))
    faults.push(`${at} is deprecated without a reason`);
  return faults;
}
