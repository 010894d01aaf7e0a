import { describe, expect, it } from '@jest/globals';
import { graphql, print } from 'graphql';
import { Directive, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { describeGraph } from '../../../shared/graph/described.js';
import { typeDefsOf } from '../../../shared/graph/federation/type-defs.js';
import { Member, outputOf, RecordType } from '../../../shared/graph/members.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { buildGraph } from '../../../shared/graph/subgraph.js';

@Directive('@key(fields: "parcel_id")')
@ObjectType('FormParcel', { description: 'A parcel.' })
class Parcel {
  @ContractField(() => String, { description: 'The parcel.', example: 'prc_01' })
  parcel_id!: string;
}

@Directive('@key(fields: "system code")')
@ObjectType('Code', { description: 'A code.' })
class PlainCode {
  @ContractField(() => String, { description: 'System.', example: 'carc' })
  system!: string;

  @ContractField(() => String, { description: 'Code.', example: '50' })
  code!: string;
}

abstract class NoteMembers {
  @Member(() => String, { description: 'Text.' })
  text!: string;
}

@RecordType({ name: 'FormNote', description: 'A note.' })
class Note extends outputOf(NoteMembers, RecordMembers) {
  @ContractField(() => String, { description: 'The note.', example: 'nte_01' })
  note_id!: string;
}

@ObjectType('FormRevision', { description: 'A value with a revision, which is no record.' })
class Revision {
  @ContractField(() => Int, { description: 'Revision.', example: 1 })
  revision!: number;
}

@Resolver()
class InterfaceResolver {
  @Query(() => Parcel, { description: 'Returns a parcel.' })
  formParcel(): Parcel {
    return { parcel_id: 'prc_01' };
  }

  @Query(() => PlainCode, { description: 'Returns a code.' })
  formCode(): PlainCode {
    return { system: 'carc', code: '50' };
  }

  @Query(() => Note, { description: 'Returns a note.', nullable: true })
  formNote(): Note | null {
    return null;
  }

  @Query(() => Revision, { description: 'Returns a revision.' })
  formRevision(): Revision {
    return { revision: 1 };
  }
}

const sdl = async (): Promise<string> =>
  print(typeDefsOf((await describeGraph({ resolvers: [InterfaceResolver] })).plain));

describe('the interfaces of a schema', () => {
  it('follow from the fields of a type and from the key of an entity', async () => {
    const text = await sdl();
    for (const line of [
      'type FormParcel implements Node @key(fields: "parcel_id")',
      'type Code implements Node @key(fields: "system code")',
      'type FormNote implements Node & Record {',
      'interface Record implements Node {',
      'type FormRevision {',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toContain('interface LedgerEntry');
  });

  it('share the identifier of an entity between subgraphs, and state that of a record once', async () => {
    const [, entity = ''] = (await sdl()).split('type FormParcel');
    expect(entity).toMatch(/id: ID! @shareable/);
    const [, record = ''] = (await sdl()).split('type FormNote');
    expect(record.slice(0, record.indexOf('}'))).not.toContain('@shareable');
  });

  it('answer the identifier from the key, with a prefix where callers choose the key', async () => {
    const { schema } = await buildGraph({ name: 'ledger', resolvers: [InterfaceResolver] });
    const source = '{ formParcel { id __typename } formCode { id } }';
    const { data, errors } = await graphql({ schema, source });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ formParcel: { id: 'prc_01', __typename: 'FormParcel' }, formCode: { id: 'code:carc/50' } });
  });
});
