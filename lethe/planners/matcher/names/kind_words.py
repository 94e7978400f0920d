"""Words for kinds of places, firms and things, in English and in other scripts ("Sakura Diner" is さくら食堂)."""

import functools
import re

from lethe.planners.matcher.names.base_forms import base_forms
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.variants import simplified
from lethe.planners.matcher.text.words import fold

_GROUPS = """
restaurant diner eatery canteen bistro trattoria shokudo | レストラン 食堂 料理店 餐厅 餐廳 餐馆 餐館 饭店 飯店
    酒楼 酒樓 酒家 레스토랑 식당 ресторан столовая εστιατόριο ταβέρνα مطعم رستوران מסעדה ร้านอาหาร ภัตตาคาร
    रेस्टोरेंट रेस्तरां भोजनालय ռեստորան რესტორანი
    রেস্তোরাঁ ریستوران உணவகம் ресторант
hotel inn ryokan guesthouse hostel lodge | ホテル 旅館 民宿 旅馆 旅店 宾馆 賓館 酒店 饭店 飯店 客栈 客棧 호텔
    여관 게스트하우스 отель гостиница готель хостел ξενοδοχείο πανσιόν فندق هتل נזל מלון โรงแรม เกสต์เฮาส์ होटल
    սարք հյուրանոց სასტუმრო
cafe coffee coffeehouse kissaten | カフェ 喫茶店 珈琲店 咖啡馆 咖啡館 咖啡厅 咖啡廳 咖啡店 카페 커피숍 кафе
    кофейня кав'ярня καφέ καφενείο καφετέρια مقهى قهوة کافه קפה ร้านกาแฟ คาเฟ่ कैफे կաֆե
    კაფე սրճարան кафана কফি
teahouse tea | 茶屋 茶室 茶馆 茶館 茶庄 茶莊 茶楼 찻집 чайная ชา
bakery baker | ベーカリー パン屋 面包店 麵包店 烘焙 베이커리 빵집 제과점 пекарня булочная φούρνος αρτοποιείο
    مخبز نانوایی מאפייה เบเกอรี่ बेकरी հացատուն
    საცხობი თონე пекара пекарница
bar pub tavern izakaya | 居酒屋 酒吧 술집 바 주점 бар паб μπαρ بار בר บาร์ बार
    ბარი պանդոկ пивница
shop store boutique | 商店 ショップ 店 小店 상점 가게 магазин лавка крамниця μαγαζί κατάστημα متجر دكان محل
    مغازه חנות ร้าน दुकान स्टोर խանութ მაღაზია
    продавница দোকান கடை دوکان ಅಂಗಡಿ
bookshop bookstore books | 書店 本屋 书店 서점 책방 книжный βιβλιοπωλείο مكتبة ספרים ร้านหนังสือ पुस्तकालय
supermarket market | スーパー 市場 超市 市场 마트 시장 슈퍼 супермаркет рынок ринок αγορά سوق سوبرماركت بازار
    שוק סופר ตลาด बाज़ार बाजार
    ბაზარი շուկա базар пазар пијаца বাজার சந்தை
pharmacy drugstore chemist | 薬局 药店 药房 藥局 약국 аптека φαρμακείο صيدلية داروخانه ร้านขายยา फार्मेसी
    դեղատուն
    აფთიაქი апотека ஃபார்மசி
hospital | 病院 医院 醫院 병원 больница госпиталь лікарня νοσοκομείο مستشفى بیمارستان โรงพยาบาล अस्पताल
    հիվանդանոց
    საავადმყოფო болница হাসপাতাল மருத்துவமனை ہسپتال
clinic practice surgery dentist dental | クリニック 医院 診療所 歯科 诊所 診所 의원 클리닉 치과 клиника клініка
    κλινική عيادة کلینیک מרפאה คลินิก क्लिनिक
    კლინიკა կլինիկա ক্লিনিক கிளினிக்
school college academy | 学校 小学校 中学校 高校 学園 学院 小学 中学 学堂 學校 학교 초등학교 중학교 고등학교
    학원 школа колледж σχολείο σχολή مدرسة مدرسه โรงเรียน स्कूल विद्यालय դպրոց სკოლა
    স্কুল பள்ளி اسکول училище
university | 大学 大學 대학교 대학 университет університет πανεπιστήμιο جامعة دانشگاه אוניברסיטה มหาวิทยาลัย
    विश्वविद्यालय
    უნივერსიტეტი համալսարան
kindergarten nursery | 幼稚園 保育園 幼儿园 유치원 어린이집 садик παιδικός روضة גן
library | 図書館 图书馆 圖書館 도서관 библиотека бібліотека βιβλιοθήκη مكتبة ספרייה ห้องสมุด
    ბიბლიოთეკა գրադարան кітапхана
museum | 博物館 美術館 博物馆 美术馆 박물관 미술관 музей μουσείο متحف מוזיאון พิพิธภัณฑ์ संग्रहालय
    მუზეუმი թանգարան
theatre theater cinema | 劇場 映画館 剧院 剧场 电影院 극장 영화관 театр кинотеатр θέατρο σινεμά مسرح سينما
    תיאטרון קולנוע โรงหนัง सिनेमा
    თეატრი թատրոն кинотеатър позориште
transport transportation logistics carrier carriers trucking freight haulage shipping express courier unyu |
    運輸 運送 物流 急便 通運 运输 快递 快遞 货运 운송 운수 물류 택배 транспорт перевозки логистика μεταφορές
    μεταφορική للنقل نقل شحن لوجستيك הובלות תובלה ขนส่ง ट्रांसपोर्ट
warehouse storehouse depot store storage | 倉庫 仓库 창고 склад αποθήκη مستودع مخزن انبار מחסן โกดัง คลังสินค้า
    गोदाम պահեստ საწყობი
factory works plant mill | 工場 製作所 工工廠 공장 завод фабрика εργοστάσιο مصنع معمل کارخانه מפעל โรงงาน
    कारखाना फैक्टरी
    ქარხანა գործարան
workshop garage atelier | 工房 作業所 修理店 作坊 车间 修理공방 작업실 정비소 мастерская майстерня гараж
    автосервис συνεργείο εργαστήριο ورشة مرآب كراج סדנה מוסך อู่ वर्कशॉप
    სახელოსნო արհեստանոց радионица работилница
office branch desk | 事務所 オフィス 支店 营业所 営業所 办公室 事务所 分公司 사무소 사무실 지점 офис контора
    філія γραφείο υποκατάστημα مكتب فرع دفتر משרד סניף สำนักงาน สาขา कार्यालय शाखा դպրասենյակ
    ოფისი գրասենյակ канцеларија
company firm trading enterprises corporation corp inc ltd limited llc co gmbh plc | 株式会社 有限会社 会社 公司
    有限公司 商事 商会 商會 貿易 贸易 회사 주식회사 상사 무역 компания фирма ооо оао зао тов корпорация εταιρεία
    αε επε شركة شرکت חברה בעמ บริษัท कंपनी ընկերություն
    კომპანია компанія
bank | 銀行 银行 은행 банк τράπεζα بنك مصرف بانک בנק ธนาคาร बैंक
    ბანკი բանկ ব্যাংক வங்கி
insurance | 保険 保险 保險 보험 страхование страховая ασφάλειες ασφαλιστική تأمين بیمه ביטוח ประกันภัย बीमा
construction builders building | 建設 工務店 建设 建筑 건설 строй строительство κατασκευαστική للبناء بناء בנייה
    ก่อสร้าง निर्माण
electric electronics electrical | 電機 電気 电子 电器 电气 전자 전기 электро электроника ηλεκτρονικά إلكترونيات
    חשמל ไฟฟ้า
foods food provisions | 食品 フーズ 식품 продукты τρόφιμα أغذية מזון อาหาร
pharma pharmaceuticals | 製薬 制药 药业 제약 фарма φαρμακευτική
printing printers press | 印刷 印務 인쇄 인쇄소 типография печать друкарня τυπογραφείο مطبعة چاپخانه דפוס
    โรงพิมพ์
laundry cleaners cleaning | クリーニング 洗衣店 세탁소 прачечная химчистка καθαριστήριο مغسلة מכבסה
studio | スタジオ 工作室 스튜디오 студия студія студио στούντιο استوديو סטודיו สตูดิโอ स्टूडियो სტუდია ստուդիա
salon barber barbershop hairdresser hairdressers | 美容室 理髪店 床屋 美发 理发店 미용실 이발소 салон
    парикмахерская κομμωτήριο صالون حلاق מספרה ร้านตัดผม सैलून
florist flowers | 花屋 花店 꽃집 цветы ανθοπωλείο زهور פרחים
farm ranch | 農園 農場 牧場 农场 农庄 농장 목장 ферма хозяйство αγρόκτημα φάρμα مزرعة חווה ฟาร์ม खेत
    ფერმა ագարակ чифлик
station | 駅 车站 車站 站 역 вокзал станция станція σταθμός محطة ایستگاه תחנה สถานี स्टेशन կայարան სადგური
airport | 空港 机场 機場 공항 аэропорт αεροδρόμιο مطار فرودگاه สนามบิน हवाईअड्डा
port harbour harbor | 港 港口 항 порт гавань λιμάνι ميناء בندر נמל ท่าเรือ बंदरगाह
street road avenue lane | 通り 路 大街 街 거리 대로 улица вулиця проспект οδός λεωφόρος شارع خیابان רחוב ถนน
    मार्ग सड़क փողոց
    ქუჩა
park garden gardens | 公園 庭園 公园 花园 공원 정원 парк сад πάρκο κήπος حديقة پارک פארק גן สวน पार्क उद्यान
    პარკი ბაღი այգի
bridge | 橋 大桥 桥 다리 대교 мост міст γέφυρα جسر پل גשר สะพาน पुल
    ხიდი կամուրջ
river | 川 河 江 강 река річка ποταμός نهر נהר แม่น้ำ नदी
    მდინარე գետ
lake | 湖 호수 озеро λίμνη بحيرة אגם ทะเลสาบ झील
    ტბა լիճ
mountain mount | 山 산 гора βουνό όρος جبل הר ภูเขา पर्वत
    მთა լեռ планина
island | 島 岛 섬 остров острів νησί جزيرة เกาะ द्वीप
    კუნძული կղզի острво
city town | 市 시 город місто πόλη مدينة شهر עיר เมือง शहर
    ქალაქი քաղաք град
village | 村 마을 село деревня χωριό قرية כפר หมู่บ้าน गांव
    სოფელი գյուղ
district quarter ward | 区 區 район квартал συνοικία حي منطقة שכונה เขต
temple shrine | 寺 神社 寺庙 절 신사 храм ναός معبد מקדש วัด मंदिर
church | 教会 教堂 교회 церковь церква εκκλησία كنيسة כנסייה โบสถ์
    ეკლესია եկեղեցի црква
mosque | モスク 清真寺 모스크 мечеть τζαμί مسجد جامع מסגד มัสยิด मस्जिद
club | クラブ 俱乐部 俱樂部 클럽 клуб λέσχη نادي مועדון מועדון สโมสร क्लब
team | チーム 球队 队 팀 команда ομάδα فريق קבוצה ทีม टीम
choir | 合唱団 合唱团 합창단 хор χορωδία جوقة מקהלה
orchestra | 楽団 交響楽団 乐团 관현악단 оркестр ορχήστρα أوركسترا תזמורת
ship boat vessel ferry | теплоход судно корабль паром πλοίο καράβι سفينة ספינה เรือ
estate | 庄园 усадьба κτήμα
flat apartment | アパート マンション 公寓 아파트 квартира διαμέρισμα شقة آپارتمان דירה อพาร์ทเมนต์ फ्लैट
    բնակարան ბინა
house cottage villa | 家 房子 別荘 집 주택 дом дача будинок σπίτι بيت منزل خانه בית บ้าน घर मकान տուն სახლი
room | 部屋 房间 房間 방 комната номер кімната δωμάτιο غرفة اتاق חדר ห้อง कमरा սենյակ ოთახი
"""


def _read() -> tuple[dict[str, frozenset[int]], list[tuple[str, ...]], list[str]]:
    english: list[tuple[str, ...]] = []
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_GROUPS.replace("\n    ", " ").strip().splitlines()):
        latin, _, native = line.partition("|")
        english.append(tuple(latin.split()))
        for word in (*latin.split(), *native.split()):
            groups.setdefault(fold(word), set()).add(number)
    unspaced = [word for word in groups if _UNSPACED.match(word) and (len(word) > 1 or word in _SHORT)]
    return (
        {word: frozenset(numbers) for word, numbers in groups.items()},
        english,
        sorted(unspaced, key=len, reverse=True),
    )


_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that write a name and its kind as one word."""
_SHORT = frozenset(simplified("駅站店市区區山川河湖島岛橋桥寺港村路街역"))
"""Kinds of a single character, after names of at least two."""
_GROUPS_OF, _ENGLISH, _NATIVE = _read()
_LONG = "|".join(word for word in _NATIVE if len(word) > 1)
_HAN = re.compile("[\u3400-\u9fff]+")
OF_FIRM = rf"(?:[\u3400-\u9fff]{{2,3}})?(?:{'|'.join(filter(_HAN.fullmatch, _NATIVE))})"
"""What follows a name of two characters in that of a firm or place: a trade and a kind, or only a kind."""
_BEHIND = re.compile(rf"(.+?)({_LONG})|(..+)([{''.join(sorted(_SHORT))}])")
_BEFORE = re.compile(rf"({_LONG})(..+)")


@functools.lru_cache(maxsize=8192)
def groups(word: str) -> frozenset[int]:
    """The kinds that a word stands for, in its base form or inflected; empty for any other word."""
    known = (_GROUPS_OF.get(fold(form)) for form in base_forms(word.casefold(), script(word)))
    return next((found for found in known if found), frozenset())


@functools.lru_cache(maxsize=8192)
def cut(word: str) -> tuple[str, ...]:
    """A word of a script without spaces, cut where a word for a kind begins or ends it ("さくら食堂")."""
    if not _UNSPACED.match(word) or fold(word) in _GROUPS_OF:
        return (word,)
    plain = simplified(word)
    found = _BEHIND.fullmatch(plain) or _BEFORE.fullmatch(plain)
    if not found:
        return (word,)
    at = next(found.end(number) for number in (1, 3) if number <= found.re.groups and found[number])
    return word[:at], word[at:]


def english(word: str, asked: frozenset[str]) -> str:
    """The English word for a kind written in another script, one of those `asked` if there is one; otherwise ""."""
    options = [option for number in sorted(groups(word)) for option in _ENGLISH[number]]
    return next((option for option in options if option in asked), options[0] if options else "")
