import { Type } from 'typebox'
import { setting } from './setting.ts'
import { fileOrEmpty, positive } from './setting-schemas.ts'

/** Settings of traces. */
export const TRACE_SETTINGS = {
  'traces.url': setting({
    schema: Type.String({
      pattern: '^(https?://[^@/]+/.*)?$',
      title:
        'an address with its path, such as http://localhost:4318/v1/traces, without a user name and a password',
    }),
    default: '',
    description:
      'Where traces are sent by OTLP over HTTP, such as http://localhost:4318/v1/traces. Empty: there are no traces.',
  }),
  'traces.sampleShare': setting({
    schema: positive(1),
    default: 0.1,
    description: 'Part of the requests and jobs that are traced.',
  }),
  'traces.headerFile': setting({
    schema: fileOrEmpty,
    default: '',
    description:
      'File that holds a header for the receiver of traces, such as "Authorization: Bearer …".',
  }),
} as const
