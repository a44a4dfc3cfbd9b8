/** The search and its filters, in German. */
export const search = {
  'search.moments': 'Gesagtes',
  'search.found': { one: '{count} Treffer', other: '{count} Treffer' },
  'search.score': '{share} passend',
  'search.nothing': 'Zu „{query}“ wurde nichts gefunden.',
  'search.nothingHint': 'Versuchen Sie andere Wörter. Die Suche versteht auch Bedeutungen: „Budget“ findet auch „Haushaltsplan“.',
  'search.nothingFits': 'Vielleicht blenden die Filter aus, was Sie suchen.',
  'search.failed': 'Die Suche hat nicht funktioniert. Versuchen Sie es noch einmal.',
  'search.filters': 'Filter',
  'search.active': 'Aktive Filter',
  'search.removeAll': 'Alle Filter entfernen',
  'search.apply': 'Anwenden',
  'search.speaker': 'Sprecher',
  'search.speakerHint': 'Der Name, den Sie im Transkript vergeben haben.',
  'search.from': 'Hinzugefügt ab',
  'search.to': 'Hinzugefügt bis',
  'search.daysWrong': 'Dieser Tag liegt vor dem ersten.',
  'search.source': 'Quelle',
  'search.sourceHint': 'Die Webadresse, von der die Aufnahme stammt.'
}
