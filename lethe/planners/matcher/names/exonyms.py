"""Places with other names in other languages: one place on each line, its English name first."""

_PLACES = """
Vienna Wien Viena Vienne Beč Bécs Vídeň Wiedeń
Cologne Köln Colonia
Munich München Monaco-di-Baviera Mnichov Monachium
Nuremberg Nürnberg Norimberga
Hanover Hannover
Brunswick Braunschweig
Aachen Aix-la-Chapelle Aquisgrán
Mainz Mayence Maguncia
Regensburg Ratisbon Ratisbonne
Berlin Berlín Berlino
Hamburg Hamburgo Amburgo Hambourg
Leipzig Lipsia Lipsko
Dresden Drážďany Dresde
Frankfurt Francfort Francoforte
Geneva Genève Genf Ginevra Ginebra
Basel Basle Bâle Basilea
Zurich Zürich Zurigo
Bern Berne Berna
Lucerne Luzern Lucerna
Prague Praha Prag Praga
Pilsen Plzeň
Brno Brünn
Bratislava Pressburg Pozsony
Budapest Budapešť
Warsaw Warszawa Warschau Varsovie Varsovia Varsavia Varšava
Cracow Kraków Krakau Cracovie Cracovia
Gdańsk Danzig
Wrocław Breslau
Poznań Posen
Szczecin Stettin
Łódź Lodz
Vilnius Wilno Wilna
Kaunas Kowno
Tallinn Reval
Lviv Lwów Lemberg Lvov Leopolis
Kyiv Kiev Kijów Kiew
Kharkiv Kharkov
Odesa Odessa
Moscow Moskva Moskau Moscou Mosca Moscú
Saint-Petersburg Sankt-Peterburg Petersburg Leningrad
Minsk Mensk
Chișinău Kishinev
Bucharest București Bukarest Bucarest
Belgrade Beograd Belgrad Belgrado
Zagreb Agram
Ljubljana Laibach Lubiana
Trieste Triest Trst
Athens Athina Athen Athènes Atenas Atene Ateny
Thessaloniki Salonica Saloniki Solun
Corfu Kerkyra Korfu
Rhodes Rodos Rhodos
Crete Kriti Kreta
Nicosia Lefkosia Lefkoşa
Istanbul İstanbul Constantinople Konstantinoupoli
Izmir İzmir Smyrna
Rome Roma Rom Řím Rzym
Milan Milano Mailand Milán Mediolan
Florence Firenze Florenz
Venice Venezia Venedig Venise Venecia Wenecja Benátky
Naples Napoli Neapel Nápoles Neapol
Turin Torino Turín Turyn
Genoa Genova Genua Gênes
Padua Padova
Leghorn Livorno
Syracuse Siracusa
Sicily Sicilia Sizilien Sicile
Sardinia Sardegna Sardinien
Lisbon Lisboa Lissabon Lisbonne Lisbona Lizbona
Oporto Porto
Seville Sevilla Séville Siviglia
Saragossa Zaragoza
Cordoba Córdoba Cordova
Corunna Coruña
Paris Parigi París Paříž Paryż Parijs
Marseilles Marseille Marsella Marsiglia
Lyons Lyon
Nice Nizza
Strasbourg Strassburg Straßburg Estrasburgo
London Londres Londra Londyn Londýn Londen
Edinburgh Dùn-Èideann Édimbourg Edimburgo
Dublin Dublín Baile-Átha-Cliath
Cardiff Caerdydd
Brussels Bruxelles Brussel Brüssel Bruselas
Antwerp Antwerpen Anvers Amberes
Ghent Gent Gand Gante
Bruges Brugge Brügge Brujas
Liège Lüttich Luik Lieja
Louvain Leuven Löwen
Ypres Ieper
Hague Den-Haag Haag Haye Haya
Flushing Vlissingen
Amsterdam Ámsterdam
Luxembourg Luxemburg Lëtzebuerg
Copenhagen København Kopenhagen Copenhague Copenaghen Köpenhamn
Gothenburg Göteborg Gotemburgo
Elsinore Helsingør
Helsinki Helsingfors
Turku Åbo
Tampere Tammerfors
Stockholm Estocolmo Sztokholm
Reykjavik Reykjavík
Cairo al-Qahira Kairo Caire
Alexandria al-Iskandariya
Jerusalem Yerushalayim al-Quds
Damascus Dimashq Damas
Beirut Bayrut Beyrouth
Aleppo Halab
Baghdad Bagdad
Mecca Makkah Mekka
Tehran Teheran Téhéran
Algiers al-Jazair Alger
Tunis Túnez
Tangier Tanja Tanger
Casablanca ad-Dar-al-Bayda
Marrakesh Marrakech Marrakesch
Addis-Ababa Addis-Abeba
Cape-Town Kaapstad Kapstadt
Beijing Peking Pékin Pekín Pechino
Guangzhou Canton Kanton
Nanjing Nanking
Xiamen Amoy
Hong-Kong Xianggang Heung-Gong
Macau Macao Aomen
Taipei Taibei
Tokyo Tōkyō Tokio
Kyoto Kyōto Kioto
Osaka Ōsaka
Seoul Séoul Seúl
Pyongyang Phenian
Bangkok Krung-Thep
Yangon Rangoon
Mumbai Bombay
Kolkata Calcutta
Chennai Madras
Bengaluru Bangalore
Varanasi Benares Banaras
Kochi Cochin
Pune Poona
Ho-Chi-Minh-City Saigon Sài-Gòn
Havana La-Habana Habana Havanna
Mexico-City Ciudad-de-México
Danube Donau Dunaj Duna Dunav Dunărea Dunay Danubio
Rhine Rhein Rhin Rijn Reno
Moselle Mosel
Meuse Maas
Elbe Labe Łaba
Oder Odra
Vistula Wisła Weichsel
Vltava Moldau
Tagus Tajo Tejo
Thames Tamise Tamigi Támesis
Tiber Tevere
Dnieper Dnipro Dnepr
Lake-Constance Bodensee
Lake-Geneva Léman Genfersee
Black-Forest Schwarzwald
Bavaria Bayern Baviera Bavière
Saxony Sachsen
Tuscany Toscana Toskana
Lombardy Lombardia Lombardei
Catalonia Catalunya Cataluña
Basque-Country Euskadi País-Vasco
Brittany Bretagne Bretaña
Burgundy Bourgogne Burgund
Flanders Vlaanderen Flandern Flandre
Transylvania Transilvania Siebenbürgen
Germany Deutschland Allemagne Alemania Germania Niemcy Německo Tyskland
Austria Österreich Autriche Rakousko
Switzerland Schweiz Suisse Svizzera Suiza
France Frankreich Francia Frankrijk Francja
Italy Italia Italien Italie Włochy
Spain España Espagne Spanien Spagna Hiszpania
Portugal Portogallo
Greece Hellas Ellada Griechenland Grèce Grecia
Turkey Türkiye Türkei Turquie Turquía
Poland Polska Polen Pologne Polonia
Hungary Magyarország Ungarn Hongrie
Czechia Česko Tschechien
Croatia Hrvatska Kroatien
Serbia Srbija Serbien
Albania Shqipëria Albanien
Finland Suomi Finnland
Sweden Sverige Schweden Suède Suecia
Norway Norge Norwegen Norvège Noruega
Denmark Danmark Dänemark Danemark Dinamarca
Iceland Ísland
Netherlands Nederland Niederlande Holland
Belgium België Belgique Belgien
Ireland Éire Irland
Scotland Schottland Écosse
Wales Cymru
England Inglaterra Angleterre Inghilterra
Ukraine Ukraina Ukrayina
Russia Rossiya Russland Rusia
Georgia Sakartvelo Georgien
Armenia Hayastan Armenien
Egypt Misr Ägypten Egipto Égypte
Morocco al-Maghrib Marokko Maroc Marruecos
Japan Nihon Nippon Japón Giappone Japon
China Zhongguo
Korea Hanguk
Thailand Prathet-Thai
"""


def _other_names() -> dict[str, list[tuple[str, ...]]]:
    """Each name, in small letters, to all names of the same place, each as its words."""
    known: dict[str, list[tuple[str, ...]]] = {}
    for line in _PLACES.strip().splitlines():
        names = [tuple(name.split("-")) for name in line.split()]
        for name in names:
            known.setdefault(" ".join(name).casefold(), []).extend(other for other in names if other != name)
    return known


_OTHER_NAMES = _other_names()


def other_names(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What a place is called in other languages; empty for what is not a place known here."""
    return _OTHER_NAMES.get(" ".join(words).casefold(), [])
