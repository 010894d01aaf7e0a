import { ArgsType, ObjectType } from 'type-graphql';
import { CONTROL_PREFIX_PATTERN } from '../../../shared/evidence/edx/control-numbers.js';
import { EDX_FORMATS, type EdxFormatName } from '../../../shared/evidence/edx/edx-formats.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { EXAMPLE_BUNDLE } from './bundle.js';

@ArgsType()
export class EdxArgs {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, {
    description: `Form of the export; json unless told. ${Object.entries(EDX_FORMATS)
      .map(([name, { description }]) => `${name}: ${description}`)
      .join(' ')}`,
    optional: true,
    enum: Object.keys(EDX_FORMATS),
  })
  format?: EdxFormatName;

  @ContractField(() => String, {
    description: 'What stands before the digits of the control numbers, in place of our own.',
    example: 'ACME-PROD-01',
    optional: true,
    pattern: CONTROL_PREFIX_PATTERN,
  })
  prefix?: string;
}

@ObjectType({ description: 'Where the archive is that an export is made from.' })
export class EdxExport {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the sealed ZIP.', example: 'a3'.repeat(32) })
  worm_blob_sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Bytes of the sealed ZIP.', example: 40_960 })
  size!: number;

  @ContractField(() => String, { description: 'Form of the export.', enum: Object.keys(EDX_FORMATS) })
  format!: EdxFormatName;

  @ContractField(() => String, { description: 'Of the control numbers; null for our own.', nullable: true })
  prefix!: string | null;

  @ContractField(() => [String], { description: 'Members whose record it gathers.', example: ['M-1'] })
  member_ids!: string[];
}
