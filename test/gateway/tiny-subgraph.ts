import { Arg, Args, ArgsType, Ctx, Directive, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../shared/auth/context.js';
import { authorise } from '../../shared/auth/context.js';
import { problem } from '../../shared/errors/problem.js';
import { ContractField, OpenShape } from '../../shared/graph/contract-field.js';
import { FieldFaultType } from '../../shared/graph/fault-type.js';
import { PageArgs, pageType } from '../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../shared/graph/scalars.js';
import type { SubgraphDefinition } from '../../shared/graph/subgraph.js';
import type { JsonObject } from '../../shared/json/strict-json.js';

// The smallest subgraph that has everything the gateway must carry: an entity, a page, JSON, and every kind of failure.

@InputType({ description: 'Free content.' })
@OpenShape()
export class NotePayload {
  @ContractField(() => [String], {
    description: 'Words.',
    optional: true,
    maxItems: 2,
    items: { minLength: 2 },
    example: ['ab'],
  })
  words?: string[];
}

@InputType({ description: 'A note as it is sent.' })
export class NoteInput {
  @ContractField(() => String, {
    description: 'Title.',
    example: 'hello',
    minLength: 1,
    maxLength: 5,
    pattern: '^[a-z]+$',
  })
  title!: string;

  @ContractField(() => String, { description: 'When.', optional: true, format: 'date-time' })
  at?: string;

  @ContractField(() => SafeInteger, { description: 'How many.', optional: true, minimum: 1, maximum: 9 })
  count?: number;

  @ContractField(() => JsonScalar, { description: 'Content.', optional: true, shape: 'NotePayload' })
  payload?: JsonObject;
}

@ObjectType({ description: 'A note as it is kept.' })
@Directive('@key(fields: "note_id")')
export class Note {
  @ContractField(() => String, { description: 'Id.' })
  note_id!: string;

  @ContractField(() => String, { description: 'Who.', optional: true })
  author?: string | null;

  @ContractField(() => JsonScalar, { description: 'Content.', nullable: true })
  payload!: unknown;

  @ContractField(() => [FieldFaultType], { description: 'Faults.' })
  faults!: FieldFaultType[];

  @ContractField(() => String, { description: 'Not for REST.', graphOnly: true })
  secret_for_graph!: string;
}

export const NotePage = pageType('NotePage', () => Note);

@ArgsType()
export class NoteFilter extends PageArgs {
  @ContractField(() => String, { description: 'Author.', optional: true })
  author?: string;
}

const note = (id: string): Note => ({
  note_id: id,
  author: null,
  payload: { kept: null },
  faults: [],
  secret_for_graph: 's',
});

@Resolver()
export class NoteResolver {
  @Query(() => Note, { nullable: true, description: 'One note.' })
  note(@Arg('note_id', () => String) noteId: string, @Ctx() context: RequestContext): Note | null {
    authorise(context, 'events:read');
    return noteId === 'none' ? null : note(noteId);
  }

  @Query(() => NotePage, { description: 'Notes.' })
  notes(@Args(() => NoteFilter) filter: NoteFilter): { items: Note[]; next_cursor: null } {
    return { items: Array.from({ length: filter.limit ?? 2 }, (_, i) => note(`n${i}`)), next_cursor: null };
  }

  @Mutation(() => JsonScalar, { description: 'Gives back what it got.' })
  echo(@Arg('items', () => [JsonScalar]) items: unknown[]): unknown {
    return items;
  }

  @Query(() => String, { description: 'Fails as told.' })
  fail(@Arg('how', () => String) how: string): string {
    if (how === 'problem') {
      throw problem('CONFLICT', {
        message: 'Said to the client.',
        internal: 'kept inside',
        errors: [{ path: '/a', code: 'b', message: 'c' }],
        extra: { accepted: 0 },
        retryAfterSeconds: 7,
      });
    }
    if (how === 'type-error') return (undefined as unknown as { x: string }).x;
    throw new Error(`E11000 dup key: { member_id: "M-SECRET-1" }`);
  }
}

export const definition: SubgraphDefinition = {
  name: 'ledger',
  resolvers: [NoteResolver],
  contractTypes: [NoteInput, NotePayload],
};
