import { ArgsType, Int, ObjectType } from 'type-graphql';
import { CONTROL_PREFIX_PATTERN } from '../../../shared/evidence/edx/control-numbers.js';
import { EDX_FORMATS, type EdxFormatName } from '../../../shared/evidence/edx/edx-formats.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { EXAMPLE_BUNDLE } from '../bundles/schema/index.js';

@ArgsType()
export class EdxArgs {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, {
    description: `Format of the export; default json. ${Object.entries(EDX_FORMATS)
      .map(([name, { description }]) => `${name}: ${description}`)
      .join(' ')}`,
    optional: true,
    enum: Object.keys(EDX_FORMATS),
  })
  format?: EdxFormatName;

  @ContractField(() => String, {
    description: 'Prefix of the control numbers, in place of the default.',
    example: 'ACME-PROD-01',
    optional: true,
    pattern: CONTROL_PREFIX_PATTERN,
  })
  prefix?: string;

  @ContractField(() => Int, {
    description: 'Volume of the production (zip), from 1; default 1. A volume holds 50,000 records.',
    optional: true,
    minimum: 1,
    maximum: 1_000,
  })
  volume?: number;
}

@ObjectType({ description: 'Location of the archive for an export.' })
export class EdxExport {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the sealed ZIP.', example: 'a3'.repeat(32) })
  worm_blob_sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Size of the sealed ZIP in bytes.', example: 40_960 })
  size!: number;

  @ContractField(() => String, { description: 'Format of the export.', enum: Object.keys(EDX_FORMATS) })
  format!: EdxFormatName;

  @ContractField(() => String, { description: 'Prefix of the control numbers; null for the default.', nullable: true })
  prefix!: string | null;

  @ContractField(() => Int, { description: 'Volume of the production.', example: 1 })
  volume!: number;

  @ContractField(() => [String], { description: 'Members with records in the bundle.', example: ['M-1'] })
  member_ids!: string[];
}
