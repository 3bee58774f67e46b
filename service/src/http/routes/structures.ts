import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  listFactors,
  listStations,
  listStructures,
  type Factor,
  type FactorStations,
  type Station,
  type Structure,
} from '@plumbline/contract'
import type { Catalogue, CatalogueStructure } from '../../domain/site/catalogue.ts'
import type { FactorEntry, StationEntry } from '../../domain/site/site-entry.ts'

export const structureRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    ...listStructures,
    handler: async ({ caller }) =>
      Array.from(caller.catalogue.structures.values())
        .filter(({ entry }) => caller.maySee(entry.id))
        .map((structure) => toStructure(structure, caller.catalogue)),
  })

  app.route({
    ...listFactors,
    handler: async ({ caller, params, query }) => {
      const { entry } = caller.findStructure(params.structureId)
      caller.permit(entry.id)
      const { factors } = caller.catalogue
      if (query.display === true)
        return entry.factors
          .map((id) => factors.get(id))
          .filter((factor) => factor !== undefined)
          .map((factor) => ({ ...toFactor(factor), timeDivision: factor.timeDivision }))
      return Array.from(factors.values())
        .filter(({ structureTypes }) => structureTypes?.includes(entry.type) ?? true)
        .map((factor) => ({ ...toFactor(factor), checked: entry.factors.includes(factor.id) }))
    },
  })

  app.route({
    ...listStations,
    handler: async ({ caller, params, query }) => {
      const { entry } = caller.findStructure(params.structureId)
      const { factorId } = query
      if (factorId !== undefined) caller.findFactor(factorId)
      caller.permit(entry.id)
      return entry.factors
        .filter((id) => factorId === undefined || id === factorId)
        .map((id) => caller.catalogue.factors.get(id))
        .filter((factor) => factor !== undefined)
        .map((factor) => toFactorStations(entry.id, factor, caller.catalogue))
    },
  })
}

const toStructure = (
  { entry, typeName }: CatalogueStructure,
  { projects }: Catalogue,
): Structure => ({
  id: entry.id,
  name: entry.name,
  type: { id: entry.type, name: typeName },
  latitude: entry.latitude,
  longitude: entry.longitude,
  portrait: entry.portrait,
  projects: entry.projects
    .map((id) => projects.get(id))
    .filter((project) => project !== undefined)
    .map(({ id, name }) => ({ id, name })),
})

const toFactor = ({ id, name, items }: FactorEntry): Factor => ({
  id,
  name,
  items: items.map((item, index) => ({
    index,
    name: item.name,
    unit: item.unit,
    precision: item.precision,
  })),
})

const toFactorStations = (
  structure: number,
  factor: FactorEntry,
  catalogue: Catalogue,
): FactorStations => ({
  factorId: factor.id,
  factorName: factor.name,
  groups: catalogue
    .listGroups(structure, factor.id)
    .map(({ id, name, typeId, params, stations }) => ({
      id,
      name,
      typeId,
      params,
      stations: stations.map(({ entry }) => toStation(entry)),
    })),
})

const toStation = ({ id, name, portrait, labels, ...station }: StationEntry): Station => ({
  id,
  name,
  portrait,
  labels,
  groupParams: station.groupParams,
  ...(station.multiParams === null ? {} : { multiParams: station.multiParams }),
})
