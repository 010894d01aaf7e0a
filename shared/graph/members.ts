// The members that callers give to a record, declared once for its input, its patch and its answers:
//
//   export abstract class LeadMembers {
//     @Member(() => String, { description: 'Actor who works on the lead.', nullable: true, maxLength: 256 })
//     assigned_to!: string | null;
//   }
//   @RecordInput({ description: 'A new lead.' })
//   export class LeadInput extends inputOf(LeadMembers) {}
//   @RecordInput({ description: 'Changes of a lead.' })
//   export class LeadPatch extends patchOf(LeadMembers) {}
//   @RecordType({ description: 'A lead.' })
//   export class Lead extends outputOf(LeadMembers) {}
//
// A nullable member is optional in the input, optional and nullable in the patch, nullable in the answer. Another member is
// required in the input unless it has a default, and optional in the patch. Answers keep `enum` and `format` of the limits.

import { InputType, ObjectType } from 'type-graphql';
import { ContractField, type ContractFieldOptions, type DeclaredField, fieldsOf, noteField } from './contract-field.js';

interface MemberOptions extends Omit<ContractFieldOptions, 'optional'> {
  /** Options that are different in answers. */
  /** Type of the member in answers, where it differs. */
  readonly shownType?: DeclaredField['type'];
  readonly shown?: { readonly [Name in keyof ContractFieldOptions]?: ContractFieldOptions[Name] | undefined };
}

type MembersClass<Members extends object> = abstract new () => Members;

const MEMBER_OPTIONS = new WeakMap<DeclaredField, MemberOptions>();

/** Declares a member of a record; the classes that derive from the members' class declare its fields. */
export function Member(type: DeclaredField['type'], options: MemberOptions): PropertyDecorator {
  return (prototype, name) => {
    const field = { type, options };
    MEMBER_OPTIONS.set(field, options);
    noteField(prototype, String(name), field);
  };
}

type NullableNames<Members> = {
  [Name in keyof Members]-?: null extends Members[Name] ? Name : never;
}[keyof Members];

/** Members of an input: the nullable ones and those with a default may be absent. */
type InputMembers<Members, Optional extends keyof Members> = {
  [Name in NullableNames<Members> | Optional]?: NonNullable<Members[Name]>;
} & { [Name in Exclude<keyof Members, NullableNames<Members> | Optional>]: Members[Name] };

interface InputClass<Members, Optional extends keyof Members> {
  new (): InputMembers<Members, Optional>;
  /** The members of a new record: absent ones get their default, or null. */
  complete(input: InputMembers<Members, Optional>): Members;
}

interface PatchClass<Members> {
  new (): Partial<Members>;
  /** The members that a patch gives; null removes a value, an absent member stays. */
  given(patch: Partial<Members>): Partial<Members>;
}

/** Fields that a class takes over from a members' class; its decorator declares them. */
const ADOPTED = new WeakMap<object, ReadonlyMap<string, DeclaredField>>();

const derived = <Derived extends object>(
  statics: Omit<Derived, never>,
  classes: readonly MembersClass<object>[],
  fieldFor: (name: string, options: MemberOptions) => ContractFieldOptions | null,
  isShown = false,
): Derived => {
  const base = Object.assign(class {}, statics);
  const fields = new Map<string, DeclaredField>();
  for (const [name, field] of classes.flatMap((members) => [...fieldsOf(members)])) {
    const { shownType = field.type, ...declared }: MemberOptions = MEMBER_OPTIONS.get(field) ?? field.options;
    const options = fieldFor(name, declared);
    if (options !== null) fields.set(name, { type: isShown ? shownType : field.type, options });
  }
  ADOPTED.set(base, fields);
  // The class has no own members before its decorator declares them; `statics` are all that Derived adds.
  return base as unknown as Derived;
};

/** @param defaults values of members that are not nullable and may be absent. */
export function inputOf<Members extends object, Defaults extends Partial<Members> = Record<never, never>>(
  members: MembersClass<Members>,
  defaults?: Defaults,
): InputClass<Members, keyof Members & keyof Defaults> {
  const names = [...fieldsOf(members).keys()];
  const values = new Map<string, unknown>(Object.entries(defaults ?? {}));
  const complete = (input: object): Members => {
    const given = new Map<string, unknown>(Object.entries(input));
    const entries = names.map((name) => [name, given.get(name) ?? values.get(name) ?? null]);
    // The contract has checked the input; every declared member gets its value, its default or null.
    return Object.fromEntries(entries) as Members;
  };
  return derived<InputClass<Members, keyof Members & keyof Defaults>>(
    { complete },
    [members],
    (name, { shown: _, nullable, ...options }) => ({
      ...options,
      ...(nullable || values.has(name) ? { optional: true } : {}),
    }),
  );
}

/** @param fixed members that stay as the input gave them. */
export function patchOf<Members extends object, Fixed extends keyof Members & string = never>(
  members: MembersClass<Members>,
  ...fixed: Fixed[]
): PatchClass<Omit<Members, Fixed>> {
  const isFixed = new Set<string>(fixed);
  const names = new Set([...fieldsOf(members).keys()].filter((name) => !isFixed.has(name)));
  const given = (patch: object): Partial<Omit<Members, Fixed>> =>
    // The names are those of the members.
    Object.fromEntries(
      Object.entries(patch).filter(([name, value]) => names.has(name) && value !== undefined),
    ) as Partial<Omit<Members, Fixed>>;
  return derived<PatchClass<Omit<Members, Fixed>>>(
    { given },
    [members],
    (name, { shown: _, example: __, ...options }) => (isFixed.has(name) ? null : { ...options, optional: true }),
  );
}

/**
 * The members as answers show them: without the limits of an input.
 *
 * @param further members that only answers have, such as RecordMembers.
 */
export const outputOf = <Members extends object, Further extends object = object>(
  members: MembersClass<Members>,
  further?: MembersClass<Further>,
): (new () => Members & Further) =>
  derived<new () => Members & Further>(
    {},
    [members, ...(further ? [further] : [])],
    (_name, { shown, ...options }) => {
      const { description, example, nullable, enum: words, format, shape, deprecationReason } = options;
      const kept = { example, nullable, enum: words, format, shape, deprecationReason, ...shown };
      return { description, ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) };
    },
    true,
  );

const adopting =
  (declare: ClassDecorator): ClassDecorator =>
  (target) => {
    for (const [name, { type, options }] of ADOPTED.get(Object.getPrototypeOf(target)) ?? []) {
      ContractField(type, options)(target.prototype, name);
    }
    declare(target);
  };

interface TypeOptions {
  readonly name?: string;
  readonly description: string;
}

/** An input type with a class that extends `inputOf(…)` or `patchOf(…)`. */
export const RecordInput = ({ name, ...options }: TypeOptions): ClassDecorator =>
  adopting(name === undefined ? InputType(options) : InputType(name, options));

/** An object type with a class that extends `outputOf(…)`. */
export const RecordType = ({ name, ...options }: TypeOptions): ClassDecorator =>
  adopting(name === undefined ? ObjectType(options) : ObjectType(name, options));
