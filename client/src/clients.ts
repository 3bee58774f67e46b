import type { Methods } from './endpoint.ts'
import type {
  INGEST_ENDPOINTS,
  MANAGE_ENDPOINTS,
  READ_ENDPOINTS,
  TOKEN_ENDPOINTS,
} from './endpoints.ts'

/** A method for each operation of the interface and of management. */
export type OperationsClient = Methods<typeof READ_ENDPOINTS> & Methods<typeof MANAGE_ENDPOINTS>

/** A method for each operation that needs the id and secret of an application. */
export type TokenMethods = Methods<typeof TOKEN_ENDPOINTS>

/** A method for each operation of ingest. */
export type IngestClient = Methods<typeof INGEST_ENDPOINTS>
