*** Settings ***
Library    PriceService.py    %{PRICES_URL}

*** Test Cases ***
A Customer Pays The Tax Of The Country
    ${amount}=    Amount To Pay    1000    %{COUNTRY}
    Should Be Equal As Integers    ${amount}    %{GROSS}

A Business Pays No Tax
    ${amount}=    Amount To Pay    1000    %{COUNTRY}    business
    Should Be Equal As Integers    ${amount}    1000

Half A Cent Goes Up
    ${amount}=    Amount To Pay    150    DE    reduced
    Should Be Equal As Integers    ${amount}    161    The customer pays what the invoice says.

A Voucher Is Taken Off
    Skip    Vouchers come next month.
