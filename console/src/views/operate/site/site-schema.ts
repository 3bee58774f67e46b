import json from '../../../../../docs/site.schema.json'
import type { Schema } from './suggest.ts'

/** The schema of a site file, as editors of others use it. */
export const schema: Schema = json as Schema
