import { describe, expect, it } from '@jest/globals';
import { graphql, print } from 'graphql';
import { Args, ArgsType, ObjectType, Query, Resolver } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { describeGraph } from '../../../shared/graph/described.js';
import { typeDefsOf } from '../../../shared/graph/federation/type-defs.js';
import { buildGraph } from '../../../shared/graph/subgraph.js';

@ObjectType('FormVisit', { description: 'A visit.' })
class Visit {
  @ContractField(() => String, { description: 'Time.', format: 'date-time', example: '2026-03-02T14:11:09Z' })
  at!: string;

  @ContractField(() => [String], { description: 'Days.', items: { format: 'date' }, optional: true })
  days?: string[];

  @ContractField(() => String, { description: 'Charge.', scalar: 'Money', nullable: true })
  charge!: string | null;

  @ContractField(() => String, { description: 'Note.', example: '' })
  note!: string;
}

@ArgsType()
class VisitArgs {
  @ContractField(() => String, { description: 'At this time.', format: 'date-time', example: '2026-03-02T14:11:09Z' })
  at!: string;
}

const VISIT = { at: '2026-03-02T14:11:09.5+01:00', days: ['2026-03-02'], charge: '10.50', note: 'n' };

@Resolver()
class VisitResolver {
  @Query(() => Visit, { description: 'Returns a visit.' })
  formVisit(@Args(() => VisitArgs) _: VisitArgs): Visit {
    return VISIT;
  }
}

const definition = { name: 'ledger', resolvers: [VisitResolver] } as const;

describe('the graph form of a schema', () => {
  it('names the scalar of each value and keeps the types of arguments', async () => {
    const sdl = print(typeDefsOf((await describeGraph(definition)).plain));
    for (const line of [
      'at: DateTime!',
      'days: [Date!]',
      'charge: Money',
      'note: String!',
      'at: String!',
      'scalar Date',
    ]) {
      expect(sdl).toContain(line);
    }
    expect(sdl).not.toContain('scalar NPI');
  });

  it('adds examples to descriptions of fields and arguments', async () => {
    const sdl = print(typeDefsOf((await describeGraph(definition)).plain));
    expect(sdl).toContain('"""Time. Example: `2026-03-02T14:11:09Z`."""');
    expect(sdl).toContain('"""At this time. Example: `2026-03-02T14:11:09Z`."""');
    expect(sdl).toContain('"""Note."""');
  });

  it('changes neither the values nor the contract of REST', async () => {
    const { schema, contract } = await buildGraph(definition);
    const source = '{ formVisit(at: "2026-03-02T14:11:09Z") { at days charge note } }';
    expect((await graphql({ schema, source })).data?.['formVisit']).toEqual(VISIT);
    expect(contract.document.components.schemas['FormVisit']).toMatchObject({
      properties: {
        at: { type: 'string', format: 'date-time', description: 'Time.' },
        charge: { type: ['string', 'null'], description: 'Charge.' },
      },
    });
  });
});
